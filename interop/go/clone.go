package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

type cloneOptions struct {
	entries bool          // the figures log shows its entries to auditors only
	rows    bool          // the row hashes of every release too, and with a header the rows
	maxAge  time.Duration // of the newest state of the registry; 0 if any will do
	since   string        // a file with a checkpoint from which the log must have grown, or empty
	ask     int           // how many releases to ask about
	answers repeated      // files with answers that must stand under this log
}

// A clone is a whole log, and what was found wrong with it.
type clone struct {
	fetch   *fetcher
	base    string // the address of the log
	pinned  *policy
	options cloneOptions
	now     time.Time

	head      *head
	leaves    []tlog.Hash
	read      *registry // of the registry log, if its entries were read
	changes   []any     // of the figures log, if its entries were read; nil at what is not one
	figuresOf string    // when the newest figures were recorded, or empty
	tiles     int
	entries   int
	releases  int
	rows      int
	answers   int
	alarms    alarms
}

// maxLog is the largest log that is read: leaf hashes of this many take half a gigabyte.
const maxLog = 1 << 24

// cloneLog downloads a whole log and checks what monitor.md has a monitor check in a round: the log, its tiles, its
// entries, the releases that they name, and answers about those.
func cloneLog(f *fetcher, base string, pinned *policy, options cloneOptions) (*clone, error) {
	c := &clone{fetch: f, base: strings.TrimSuffix(base, "/"), pinned: pinned, options: options, now: time.Now()}
	if err := c.follow(); err != nil {
		return c, err
	}
	if options.entries {
		if err := c.readEntries(); err != nil {
			return c, err
		}
	}
	if options.rows && c.read != nil {
		c.checkReleases()
	}
	if err := c.checkAnswers(); err != nil {
		return c, err
	}
	if len(c.alarms) > 0 {
		return c, c.alarms
	}
	return c, nil
}

// follow is steps 1 and 2: the checkpoint, and every tile of every level.
func (c *clone) follow() error {
	note, err := c.fetch.must(c.base + "/checkpoint")
	if err != nil {
		return err
	}
	if c.head, err = openCheckpoint(note, c.pinned); err != nil {
		return alarms{{"checkpoint_invalid", err.Error()}}
	}
	name := c.base[strings.LastIndex(c.base, "/")+1:]
	if !strings.HasSuffix(c.head.origin, "/log/"+name) {
		return alarms{{"log_not_the_same", c.base + " shows a checkpoint of " + c.head.origin}}
	}
	for _, log := range c.pinned.logs {
		if strings.TrimSuffix(log.url, "/") == c.base && log.key.name != c.head.origin {
			return alarms{{"log_not_the_same", c.base + " shows a checkpoint of " + c.head.origin}}
		}
	}
	if c.head.size > maxLog {
		return alarms{{"log_too_large", fmt.Sprintf("%d entries", c.head.size)}}
	}
	c.leaves, c.tiles, err = cloneTree(c.fetch.tiles(c.base), c.head.size, c.head.root)
	if errors.Is(err, errTiles) {
		return alarms{{"tiles_wrong", err.Error()}}
	}
	if err != nil || c.options.since == "" {
		return err
	}
	return c.checkSince()
}

// checkSince: the log continues the one that an older checkpoint is of. All leaf hashes are at hand.
func (c *clone) checkSince() error {
	text, err := os.ReadFile(c.options.since)
	if err != nil {
		return err
	}
	before, err := openCheckpoint(text, c.pinned)
	switch {
	case err != nil:
		return err
	case before.origin != c.head.origin:
		return alarms{{"log_not_the_same", before.origin + " came before"}}
	case before.size > c.head.size:
		return alarms{{"log_rolled_back", fmt.Sprintf("%d entries came before", before.size)}}
	case rootOf(c.leaves[:before.size]) != before.root:
		return alarms{{"log_forked", fmt.Sprintf("the first %d entries have another root", before.size)}}
	}
	return nil
}

var errTiles = errors.New("the tiles do not go together")

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
		if level == 0 {
			if leaves = hashes; rootOf(leaves) != root {
				return nil, count, fmt.Errorf("%w: not the root that was signed", errTiles)
			}
		}
		for i := range hashes {
			if level > 0 && hashes[i] != rootOf(below[i*tileWidth:(i+1)*tileWidth]) {
				return nil, count, fmt.Errorf("%w: hash %d of level %d", errTiles, i, level)
			}
		}
		below = hashes
	}
	if size == 0 && root != emptyRoot {
		return nil, count, fmt.Errorf("%w: not the root of nothing", errTiles)
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

// An entry of a bundle that is not the one that was hashed, or not there.
type entryError struct {
	place   int
	missing bool
}

func (e entryError) Error() string {
	if e.missing {
		return fmt.Sprintf("entry %d is not in its bundle", e.place)
	}
	return fmt.Sprintf("entry %d is not the one that was hashed", e.place)
}

// readBundles gets all entries of a log, or all rows of a release, and hands each on with its place. Only a full bundle
// in place of a partial one may go on after its last entry.
func readBundles(from tileSource, leaves []tlog.Hash, each func(place int, entry []byte)) error {
	size, place := int64(len(leaves)), 0
	for n := int64(0); n*tileWidth < size; n++ {
		width := widthOf(size, 0, n)
		bundle, err := from(tilePath(-1, n, width))
		if err != nil {
			return err
		}
		for i := 0; i < width; i++ {
			if len(bundle) < 2 || len(bundle) < 2+int(bundle[0])<<8+int(bundle[1]) {
				return entryError{place, true}
			}
			end := 2 + int(bundle[0])<<8 + int(bundle[1])
			entry := bundle[2:end]
			if tlog.RecordHash(entry) != leaves[place] {
				return entryError{place, false}
			}
			each(place, entry)
			bundle = bundle[end:]
			place++
		}
		if len(bundle) > 0 && width == tileWidth {
			return entryError{place, false}
		}
	}
	return nil
}
