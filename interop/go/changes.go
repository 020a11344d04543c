package main

import (
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

var (
	isEntryProof = closed(map[string]form{"log": isLogProof})
	isChange     = closedOr(map[string]form{
		"seq":              isCount,
		"release_id":       isToken,
		"sdc_rule_version": isToken,
		"released_at":      isInstant,
		"new_as_of":        isInstant,
		"old_as_of":        nullOr(isInstant),
		"metric":           isName,
		"reason":           isName,
		"old":              nullOr(isTextOrNumber),
		"new":              nullOr(isTextOrNumber),
	}, map[string]form{"ledger_root": isHash, "epsilon": isToken})
	changePageMembers = []string{"data", "page", "links", "as_of"}
)

func isTextOrNumber(value any) bool {
	_, number := value.(float64)
	return number || isText(value)
}

// A change is an entry of the figures log that was proved.
type change struct {
	index      int64
	inclusion  any
	checkpoint string
}

func checkChange(value any, pinned *policy) (*change, error) {
	given, ok := value.(object)
	if !ok {
		return nil, reason("not_recognised")
	}
	if !isEntryProof(given["proof"]) {
		return nil, reason("proof_malformed")
	}
	entry, log := without(given, "proof"), given["proof"].(object)["log"].(object)
	if !isChange(entry) {
		return nil, reason("entry_malformed")
	}
	one := &change{numberOf(log, "index"), log["inclusion"], textOf(log, "checkpoint")}
	opened, err := openCheckpoint([]byte(one.checkpoint), pinned)
	switch {
	case err != nil:
		return nil, err
	case !strings.HasSuffix(opened.origin, "/log/figures"):
		return nil, reason("log_of_other_kind")
	case !isInLog(entry, log, opened):
		return nil, reason("entry_not_in_log")
	case numberOf(entry, "seq") != one.index:
		return nil, reason("seq_not_its_place")
	}
	return one, nil
}

// checkChangePage checks a page of changes, of which there is at least one item.
func checkChangePage(body object, data []any, pinned *policy) (*verdict, error) {
	if !onlyAmong(body, changePageMembers) {
		return nil, reason("not_recognised")
	}
	var found []*change
	seen := map[int64]bool{}
	for i, item := range data {
		one, err := checkChange(item, pinned)
		if err != nil {
			return nil, at(i, err)
		}
		if seen[one.index] {
			return nil, reason("repeated_item")
		}
		seen[one.index] = true
		found = append(found, one)
	}
	for _, one := range found {
		if one.checkpoint != found[0].checkpoint {
			return nil, reason("mixed_checkpoints")
		}
	}
	if !onlyCheckpoint(body, found[0].checkpoint) {
		return nil, reason("mixed_checkpoints")
	}
	if !oneWay(found) {
		return nil, reason("entries_out_of_order")
	}
	return &verdict{entries: len(found), checkpoint: found[0].checkpoint}, nil
}

// oneWay: the places of the changes rise all the way or fall all the way.
func oneWay(found []*change) bool {
	rises, falls := true, true
	for i := 1; i < len(found); i++ {
		rises = rises && found[i].index > found[i-1].index
		falls = falls && found[i].index < found[i-1].index
	}
	return rises || falls
}

// checkChanges: whether pages of changes leave none out between two checkpoints.
func checkChanges(older, newer, page []byte, pinned *policy) (added int64, err error) {
	before, after, err := openInOrder(older, newer, pinned)
	if err != nil {
		return 0, err
	}
	value, err := readJSON(page)
	if err != nil {
		return 0, err
	}
	body, _ := value.(object)
	items, _ := body["data"].([]any)
	proofs := map[int64]*change{}
	var found []*change
	for _, item := range items {
		one, err := checkChange(item, pinned)
		if err != nil {
			return 0, err
		}
		if one.checkpoint != string(newer) {
			return 0, reason("mixed_checkpoints")
		}
		if proofs[one.index] != nil {
			return 0, reason("repeated_item")
		}
		proofs[one.index] = one
		found = append(found, one)
		if one.index >= before.size {
			added++
		}
	}
	switch {
	case !oneWay(found):
		return 0, reason("entries_out_of_order")
	case added != after.size-before.size:
		return 0, reason("entries_missing")
	case added == 0:
		return 0, isThat(after.root, before)
	}
	path, _ := decodeHashes(proofs[before.size].inclusion)
	return added, isThat(rootBefore(before.size, after.size, path), before)
}

// rootBefore joins the hashes to the left of a leaf, which are the perfect subtrees of the tree before it.
func rootBefore(index, size int64, path []tlog.Hash) tlog.Hash {
	node, last := index, size-1
	root, any := emptyRoot, false
	for _, sibling := range path {
		if node%2 == 1 || node == last {
			if any {
				root = tlog.NodeHash(sibling, root)
			} else {
				root, any = sibling, true
			}
			for node%2 == 0 && node != 0 {
				node, last = node/2, last/2
			}
		}
		node, last = node/2, last/2
	}
	return root
}
