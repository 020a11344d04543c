package main

import "golang.org/x/mod/sumdb/tlog"

// A setWalk computes the root of a tree from some of its leaves and the roots of the subtrees that hold none of them,
// from left to right: proof.md, "A set of leaves". It never takes more steps than there are leaves and hashes to take,
// times the height of the tree.
type setWalk struct {
	places []int64 // of the leaves that are left, rising
	leaves []tlog.Hash
	hashes []tlog.Hash // those that are left
	before int         // hashes taken before the first leaf
	short  bool
}

// walkSet also says how many of the hashes stand before the first leaf.
func walkSet(root tlog.Hash, size int64, places []int64, leaves, hashes []tlog.Hash) (before int, ok bool) {
	last := int64(-1)
	for _, place := range places {
		if place <= last || place >= size {
			return 0, false
		}
		last = place
	}
	if len(places) == 0 || len(places) != len(leaves) {
		return 0, false
	}
	w := &setWalk{places: places, leaves: leaves, hashes: hashes}
	got := w.walk(0, size, len(places))
	return w.before, !w.short && len(w.hashes) == 0 && got == root
}

// walk is the root of the leaves from begin to end; all is how many leaves there were at first.
func (w *setWalk) walk(begin, end int64, all int) (node tlog.Hash) {
	switch {
	case w.short:
		return node
	case len(w.places) == 0 || w.places[0] >= end:
		if w.short = len(w.hashes) == 0; w.short {
			return node
		}
		if len(w.places) == all {
			w.before++
		}
		node, w.hashes = w.hashes[0], w.hashes[1:]
		return node
	case end-begin == 1:
		node = w.leaves[0]
		w.places, w.leaves = w.places[1:], w.leaves[1:]
		return node
	}
	k := int64(1)
	for k*2 < end-begin {
		k *= 2
	}
	left := w.walk(begin, begin+k, all)
	return tlog.NodeHash(left, w.walk(begin+k, end, all))
}

// setLeadsTo takes the hashes as a text, one after the other in base64, and the root in base64.
func setLeadsTo(root string, size int64, places []int64, leaves []tlog.Hash, hashes string) bool {
	want, ok := decodeHash(root)
	given, decoded := decodeBase64(hashes)
	if !ok || !decoded || len(given)%tlog.HashSize != 0 {
		return false
	}
	list := make([]tlog.Hash, len(given)/tlog.HashSize)
	for i := range list {
		copy(list[i][:], given[i*tlog.HashSize:])
	}
	_, ok = walkSet(want, size, places, leaves, list)
	return ok
}

// rangeLeadsTo: the neighbours from a place on, with the hashes on their left and those on their right, lead to the
// root. It is a set whose places have no gap: proof.md, "A range".
func rangeLeadsTo(root tlog.Hash, from, size int64, leaves, left, right []tlog.Hash) bool {
	places := make([]int64, len(leaves))
	for i := range places {
		places[i] = from + int64(i)
	}
	before, ok := walkSet(root, size, places, leaves, append(append([]tlog.Hash{}, left...), right...))
	return ok && before == len(left)
}
