package main

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// cloneReleases derives rows_root of each release from its tiles, which are beside the log. Where a header is sent with
// every request (a token), it also reads all rows of the releases in force.
func (done *cloned) cloneReleases(f *fetcher, base string, read *registry, pinned *policy) error {
	logs := base[:strings.LastIndex(base, "/")]
	period := map[string]object{}
	for _, each := range read.periods {
		period[textOf(each, "release")] = each
	}
	for _, manifest := range read.entries {
		if !isManifest(manifest) {
			continue
		}
		id := textOf(manifest, "release_id")
		root, ok := decodeHash(textOf(manifest, "rows_root"))
		if !ok {
			return fmt.Errorf("the root of %s does not decode", id)
		}
		from := f.tiles(logs + "/releases/" + url.PathEscape(id))
		leaves, _, err := cloneTree(from, numberOf(manifest, "row_count"), root)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		done.releases++
		inForce := period[leafHash(manifest)]
		if len(f.header) == 0 || inForce == nil {
			continue
		}
		count, err := readRows(f, strings.TrimSuffix(logs, "/log"), manifest, inForce, leaves, pinned)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		done.rows += count
	}
	return nil
}

// readRows gets all rows of a release from the pages of its chart on a day on which it is in force. Each page is
// verified; together they must be all leaves, sorted by their keys.
func readRows(f *fetcher, base string, manifest, inForce object, leaves []tlog.Hash, pinned *policy) (count int, err error) {
	what := object{"as_of": inForce["from"], "chart": manifest["chart"]}
	query := url.Values{"as_of": {textOf(inForce, "from")}, "chart": {textOf(manifest, "chart")}, "limit": {"200"}}
	last := ""
	for count < len(leaves) {
		text, err := f.must(base + "/api/registry?" + query.Encode())
		if err != nil {
			return count, err
		}
		v, err := verifyBody(text, pinned, asked{page: what}, nil)
		if err != nil {
			return count, err
		}
		for _, each := range v.rows {
			key := keyOf(each.row)
			switch {
			case !same(each.manifest, manifest):
				return count, fmt.Errorf("a row of another release is on its pages")
			case count == len(leaves) || tlog.RecordHash(canonical(each.row)) != leaves[count]:
				return count, fmt.Errorf("row %d is not the one that was hashed", count)
			case count > 0 && key <= last:
				return count, fmt.Errorf("row %d is not sorted", count)
			}
			last = key
			count++
		}
		value, _ := readJSON(text)
		next := textOf(value.(object)["page"], "next_after")
		if next == "" {
			break
		}
		query.Set("after", next)
	}
	if count != len(leaves) {
		return count, fmt.Errorf("%d rows of %d are on its pages", count, len(leaves))
	}
	return count, nil
}
