package main

import "golang.org/x/mod/sumdb/tlog"

// oneWay: the places of the entries rise all the way or fall all the way.
func oneWay(found []*proved) bool {
	var places []int64
	for _, each := range found {
		if each.what == "entry" {
			places = append(places, each.index)
		}
	}
	rises, falls := true, true
	for i := 1; i < len(places); i++ {
		rises = rises && places[i] > places[i-1]
		falls = falls && places[i] < places[i-1]
	}
	return rises || falls
}

// checkChanges: whether pages of changes leave none out between two checkpoints.
func checkChanges(older, newer, page []byte, pinned *policy) (added int64, err error) {
	before, after, err := openBoth(older, newer, pinned)
	if err != nil {
		return 0, err
	}
	value, err := readJSON(page)
	if err != nil {
		return 0, err
	}
	body, _ := value.(object)
	items, _ := body["data"].([]any)
	proofs := map[int64]object{}
	var found []*proved
	for _, item := range items {
		members, ok := item.(object)
		if !ok {
			return 0, reason("not_recognised")
		}
		one, err := checkEntry(members, pinned)
		if err != nil {
			return 0, err
		}
		if one.checkpoint != string(newer) {
			return 0, reason("mixed_checkpoints")
		}
		if proofs[one.index] != nil {
			return 0, reason("repeated_item")
		}
		proofs[one.index] = members["proof"].(object)["log"].(object)
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
		return 0, nil
	}
	path, _ := decodeHashes(proofs[before.size]["inclusion"])
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
