package main

import (
	"bytes"
	"errors"
	"net/url"
	"strings"
)

// logs is the address below which all logs and releases are.
func (c *clone) logs() string { return c.base[:strings.LastIndex(c.base, "/")] }

// checkReleases is step 5 of a round, of every release that the log names: the hashes of its rows lead to its root.
// Where a header is sent with every request (a token), the rows are read too.
func (c *clone) checkReleases() {
	for _, each := range c.read.entries {
		manifest := each.value
		if !isManifest(manifest) {
			continue
		}
		id := textOf(manifest, "release_id")
		root, ok := decodeHash(textOf(manifest, "rows_root"))
		if !ok || numberOf(manifest, "row_count") > maxLog {
			c.alarms.raise("row_hashes_wrong", "%s: no such tree can be read", id)
			continue
		}
		from := c.fetch.tiles(c.logs() + "/releases/" + url.PathEscape(id))
		leaves, _, err := cloneTree(from, numberOf(manifest, "row_count"), root)
		switch {
		case errors.Is(err, errTiles) || errors.Is(err, reason("tile_malformed")):
			c.alarms.raise("row_hashes_wrong", "%s: %s", id, err)
			continue
		case err != nil:
			c.alarms.raise("row_hashes_missing", "%s: %s", id, err)
			continue
		}
		c.releases++
		if len(c.fetch.header) == 0 {
			continue
		}
		last := ""
		err = readBundles(from, leaves, func(place int, text []byte) {
			c.rows++
			last = c.checkRow(manifest, place, text, last)
		})
		var wrong entryError
		switch {
		case errors.As(err, &wrong) && !wrong.missing:
			c.alarms.raise("row_altered", "%s: %s", id, err)
		case err != nil:
			c.alarms.raise("rows_unreadable", "%s: %s", id, err)
		}
	}
}

// checkRow checks one row that was hashed, and gives its key.
func (c *clone) checkRow(manifest object, place int, text []byte, last string) string {
	id := textOf(manifest, "release_id")
	value, err := readJSON(text)
	row, _ := value.(object)
	if err != nil || len(text) > maxLeaf || !bytes.Equal(canonical(value), text) || !isRow(value) {
		c.alarms.raise("row_not_of_release", "%s: row %d is none", id, place)
		return last
	}
	if err := checkOfRelease(row, manifest); err != nil {
		c.alarms.raise("row_not_of_release", "%s: row %d: %s", id, place, err)
	}
	key := keyOf(row)
	if place > 0 && key <= last {
		c.alarms.raise("rows_unsorted", "%s: row %d", id, place)
	}
	if textOf(row, "kind") != "place" {
		if err := checkDerivation(row); err != nil {
			c.alarms.raise("arithmetic_wrong", "%s: row %d: %s", id, place, err)
		}
	}
	return key
}
