package main

import (
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

type cloneOptions struct {
	entries bool // the figures log shows its entries to auditors only
	rows    bool // the row hashes of every release too, and with a header the rows of those in force
}

type cloned struct {
	head     *head
	tiles    int
	entries  int
	releases int
	rows     int // of releases in force that were read, beside their hashes
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
	read, err := readEntries(entries, opened.origin)
	if err != nil {
		return nil, err
	}
	if options.rows {
		err = done.cloneReleases(f, base, read, pinned)
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
