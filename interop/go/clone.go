package main

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

type cloneOptions struct {
	entries bool // the figures log shows its entries to auditors only
	rows    bool // the row hashes of every release too
}

type cloned struct {
	head     *head
	tiles    int
	entries  int
	releases int
}

// cloneLog downloads a whole log and derives all of it again: leaf hashes from entries, every tile of every level from
// the one below, and the root.
func cloneLog(f *fetcher, base string, pinned *policy, options cloneOptions) (*cloned, error) {
	base = strings.TrimSuffix(base, "/")
	note, err := f.must(base + "/checkpoint")
	if err != nil {
		return nil, err
	}
	opened, err := openCheckpoint(note, pinned)
	if err != nil {
		return nil, err
	}
	for _, log := range pinned.logs {
		if strings.TrimSuffix(log.url, "/") == base && log.key.name != opened.origin {
			return nil, fmt.Errorf("%s answers with the checkpoint of another log, %s", base, opened.origin)
		}
	}
	done := &cloned{head: opened}
	leaves, tiles, err := cloneTree(f.tiles(base), opened.size, opened.root)
	if err != nil {
		return nil, err
	}
	done.tiles = tiles
	if !options.entries {
		return done, nil
	}
	entries, err := cloneEntries(f.tiles(base), opened.size, leaves)
	if err != nil {
		return nil, err
	}
	done.entries = len(entries)
	for i, entry := range entries {
		if err := checkClonedEntry(entry, int64(i), opened.origin); err != nil {
			return nil, err
		}
	}
	if options.rows {
		done.releases, err = cloneReleases(f, base, entries)
	}
	return done, err
}

// cloneTree gets every tile of a tree and returns its leaf hashes.
func cloneTree(from tileSource, size int64, root tlog.Hash) (leaves []tlog.Hash, count int, err error) {
	var below []tlog.Hash
	for level := 0; size>>(level*tileHeight) > 0; level++ {
		var hashes []tlog.Hash
		for n := int64(0); widthOf(size, level, n) > 0; n++ {
			data, err := readTile(from, size, level, n)
			if err != nil {
				return nil, count, err
			}
			count++
			for ; len(data) > 0; data = data[tlog.HashSize:] {
				var hash tlog.Hash
				copy(hash[:], data)
				hashes = append(hashes, hash)
			}
		}
		for i := range hashes {
			if level > 0 && hashes[i] != rootOf(below[i*tileWidth:(i+1)*tileWidth]) {
				return nil, count, fmt.Errorf("hash %d of level %d is not the root of the tile below it", i, level)
			}
		}
		if level == 0 {
			leaves = hashes
		}
		below = hashes
	}
	if rootOf(leaves) != root {
		return nil, count, reason("tiles_not_of_checkpoint")
	}
	return leaves, count, nil
}

// rootOf is the definition of RFC 9162 2.1.1, word for word.
func rootOf(leaves []tlog.Hash) tlog.Hash {
	switch len(leaves) {
	case 0:
		return emptyRoot
	case 1:
		return leaves[0]
	}
	k := 1
	for k*2 < len(leaves) {
		k *= 2
	}
	return tlog.NodeHash(rootOf(leaves[:k]), rootOf(leaves[k:]))
}

func cloneEntries(from tileSource, size int64, leaves []tlog.Hash) (entries [][]byte, err error) {
	for n := int64(0); n*tileWidth < size; n++ {
		width := widthOf(size, 0, n)
		bundle, err := from(tilePath(-1, n, width))
		if err != nil {
			return nil, err
		}
		for i := 0; i < width; i++ {
			if len(bundle) < 2 || len(bundle) < 2+int(bundle[0])<<8+int(bundle[1]) {
				return nil, fmt.Errorf("bundle %d ends inside of entry %d", n, i)
			}
			end := 2 + int(bundle[0])<<8 + int(bundle[1])
			entry := bundle[2:end]
			if tlog.RecordHash(entry) != leaves[len(entries)] {
				return nil, fmt.Errorf("entry %d is not the one that was hashed", len(entries))
			}
			entries, bundle = append(entries, entry), bundle[end:]
		}
		// Only a full bundle in place of a partial one may go on.
		if len(bundle) > 0 && width == tileWidth {
			return nil, fmt.Errorf("bundle %d goes on after its last entry", n)
		}
	}
	return entries, nil
}

// checkClonedEntry: an entry is the canonical JSON of a manifest or of a change, by the log it stands in.
func checkClonedEntry(entry []byte, index int64, origin string) error {
	value, err := readJSON(entry)
	if err != nil || !bytes.Equal(canonical(value), entry) {
		return fmt.Errorf("entry %d is not canonical JSON", index)
	}
	if strings.HasSuffix(origin, "/log/figures") {
		if !isChange(value) || numberOf(value, "seq") != index {
			return fmt.Errorf("entry %d is not the change of a figure at its place", index)
		}
	} else if !isManifest(value) && !isWithdrawal(value) {
		return fmt.Errorf("entry %d is neither a manifest nor a withdrawal", index)
	}
	return nil
}

// cloneReleases derives rows_root of each release from its tiles, which are beside the log.
func cloneReleases(f *fetcher, base string, entries [][]byte) (count int, err error) {
	beside := base[:strings.LastIndex(base, "/")] + "/releases/"
	for _, entry := range entries {
		value, err := readJSON(entry)
		if err != nil {
			return count, err
		}
		if isWithdrawal(value) {
			continue // it has no rows of its own
		}
		id := textOf(value, "release_id")
		root, ok := decodeHash(textOf(value, "rows_root"))
		if !ok {
			return count, fmt.Errorf("the root of %s does not decode", id)
		}
		from := f.tiles(beside + url.PathEscape(id))
		if _, _, err := cloneTree(from, numberOf(value, "row_count"), root); err != nil {
			return count, fmt.Errorf("%s: %w", id, err)
		}
		count++
	}
	return count, nil
}
