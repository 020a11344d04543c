package main

import "golang.org/x/mod/sumdb/tlog"

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
	changePageMembers = []string{"data", "states", "page", "links", "as_of", "data_class"}
)

func isTextOrNumber(value any) bool {
	_, number := value.(float64)
	return number || isText(value)
}

// A provedEntry of the figures log, a change or a state.
type provedEntry struct {
	index      int64
	inclusion  any
	checkpoint string
	opened     *head
}

// checkEntry checks a change or a state among changes (proof.md, Log entries). Only a change knows its place.
func checkEntry(value any, shape form, pinned *policy) (*provedEntry, error) {
	given, ok := value.(object)
	if !ok {
		return nil, reason("not_recognised")
	}
	if !isEntryProof(given["proof"]) {
		return nil, reason("proof_malformed")
	}
	entry, log := without(given, "proof"), given["proof"].(object)["log"].(object)
	if !shape(entry) {
		return nil, reason("entry_malformed")
	}
	opened, err := inFigures(entry, log, pinned, "entry_not_in_log")
	if err != nil {
		return nil, err
	}
	index := numberOf(log, "index")
	if has(entry, "seq") && numberOf(entry, "seq") != index {
		return nil, reason("seq_not_its_place")
	}
	return &provedEntry{index, log["inclusion"], textOf(log, "checkpoint"), opened}, nil
}

// pageEntries are the entries of a page: its changes, and then its states. No two are at one place.
func pageEntries(body object, pinned *policy) (changes, all []*provedEntry, err error) {
	data, isData := body["data"].([]any)
	states, areStates := body["states"].([]any)
	if !isData || has(body, "states") && !areStates {
		return nil, nil, reason("not_recognised")
	}
	seen := map[int64]bool{}
	for i, item := range append(append([]any{}, data...), states...) {
		shape := form(isChange)
		if i >= len(data) {
			shape = isFigureState
		}
		one, err := checkEntry(item, shape, pinned)
		if err != nil && i < len(data) {
			return nil, nil, at(i, err)
		}
		if err != nil {
			return nil, nil, err
		}
		if seen[one.index] {
			return nil, nil, reason("repeated_item")
		}
		seen[one.index] = true
		all = append(all, one)
	}
	return all[:len(data)], all, nil
}

// checkChangePage checks a page of changes.
func checkChangePage(body object, pinned *policy, age limits) (*verdict, error) {
	if !onlyAmong(body, changePageMembers) || !nullOr(oneOf("published", "sample"))(body["data_class"]) {
		return nil, reason("not_recognised")
	}
	changes, all, err := pageEntries(body, pinned)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, reason("nothing_proved")
	}
	first := all[0]
	for _, one := range all {
		if one.checkpoint != first.checkpoint {
			return nil, reason("mixed_checkpoints")
		}
	}
	if !onlyCheckpoint(body, first.checkpoint) {
		return nil, reason("mixed_checkpoints")
	}
	if !oneWay(changes) {
		return nil, reason("entries_out_of_order")
	}
	v := &verdict{entries: len(changes), checkpoint: first.checkpoint, opened: first.opened}
	return v, first.opened.checkAge("", age)
}

// oneWay: the places of the changes rise all the way or fall all the way.
func oneWay(changes []*provedEntry) bool {
	rises, falls := true, true
	for i := 1; i < len(changes); i++ {
		rises = rises && changes[i].index > changes[i-1].index
		falls = falls && changes[i].index < changes[i-1].index
	}
	return rises || falls
}

// checkChanges: whether pages leave no change out between two checkpoints. added is how many came since the older one.
func checkChanges(older, newer, page []byte, pinned *policy) (added int, err error) {
	before, after, err := openInOrder(older, newer, pinned)
	if err != nil {
		return 0, err
	}
	value, err := readJSON(page)
	if err != nil {
		return 0, err
	}
	body, ok := value.(object)
	if !ok {
		return 0, reason("not_recognised")
	}
	changes, all, err := pageEntries(body, pinned)
	if err != nil {
		return 0, err
	}
	var next *provedEntry // at the older size
	entries := int64(0)
	for i, one := range all {
		if one.checkpoint != string(newer) {
			return 0, reason("mixed_checkpoints")
		}
		if one.index >= before.size {
			entries++
			if i < len(changes) {
				added++
			}
		}
		if one.index == before.size {
			next = one
		}
	}
	switch {
	case !oneWay(changes):
		return 0, reason("entries_out_of_order")
	case entries != after.size-before.size:
		return 0, reason("entries_missing")
	case next == nil: // as many as there are, and all at different places: there are none
		return 0, isThat(after.root, before)
	}
	path, _ := decodeHashes(next.inclusion)
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
