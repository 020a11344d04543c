package main

import (
	"encoding/base64"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// besides are the roots of the largest subtrees of the leaves from begin on without a leaf that is wanted.
func besides(leaves []tlog.Hash, begin int, wanted func(int) bool) (hashes []tlog.Hash) {
	some := false
	for i := range leaves {
		some = some || wanted(begin+i)
	}
	if !some {
		return []tlog.Hash{rootOf(leaves)}
	}
	if len(leaves) == 1 {
		return nil
	}
	k := 1
	for k*2 < len(leaves) {
		k *= 2
	}
	return append(besides(leaves[:k], begin, wanted), besides(leaves[k:], begin+k, wanted)...)
}

func someLeaves(size int) []tlog.Hash {
	leaves := make([]tlog.Hash, size)
	for i := range leaves {
		leaves[i] = tlog.RecordHash([]byte{byte(i)})
	}
	return leaves
}

// TestSets: every set of leaves of every small tree, and each of them with a hash too few or too many.
func TestSets(t *testing.T) {
	for size := 1; size <= 9; size++ {
		all := someLeaves(size)
		root := rootOf(all)
		for mask := 1; mask < 1<<size; mask++ {
			var places []int64
			var leaves []tlog.Hash
			for i, hash := range all {
				if mask>>i&1 == 1 {
					places, leaves = append(places, int64(i)), append(leaves, hash)
				}
			}
			hashes := besides(all, 0, func(i int) bool { return mask>>i&1 == 1 })
			if _, ok := walkSet(root, int64(size), places, leaves, hashes); !ok {
				t.Fatal(size, mask)
			}
			if _, ok := walkSet(root, int64(size), places, leaves, append(hashes, root)); ok {
				t.Fatal("too many", size, mask)
			}
			if len(hashes) > 0 {
				if _, ok := walkSet(root, int64(size), places, leaves, hashes[1:]); ok {
					t.Fatal("too few", size, mask)
				}
			}
			if len(places) > 1 {
				places[0], places[1] = places[1], places[0]
				if _, ok := walkSet(root, int64(size), places, leaves, hashes); ok {
					t.Fatal("falling", size, mask)
				}
			}
		}
	}
}

func TestRanges(t *testing.T) {
	for size := 1; size <= 17; size++ {
		all := someLeaves(size)
		root := rootOf(all)
		for from := 0; from < size; from++ {
			for to := from + 1; to <= size; to++ {
				hashes := besides(all, 0, func(i int) bool { return from <= i && i < to })
				good := 0
				for cut := range append(hashes, root) {
					if rangeLeadsTo(root, int64(from), int64(size), all[from:to], hashes[:cut], hashes[cut:]) {
						good++
					}
				}
				if good != 1 {
					t.Fatal(size, from, to, good)
				}
			}
		}
	}
}

// TestLargeSets: sizes that no tree has cost nothing, and sums do not overflow.
func TestLargeSets(t *testing.T) {
	leaves := someLeaves(2)
	text := base64.StdEncoding.EncodeToString(make([]byte, 1<<20))
	for _, size := range []int64{0, 1, 3, maxSafe} {
		for _, places := range [][]int64{{0, maxSafe - 1}, {maxSafe - 2, maxSafe - 1}, {maxSafe - 1, maxSafe}} {
			if setLeadsTo(encodeHash(leaves[0]), size, places, leaves, text) {
				t.Error(size, places)
			}
		}
	}
	if rangeLeadsTo(leaves[0], maxSafe, maxSafe, leaves, nil, leaves) || rangeLeadsTo(leaves[0], 0, maxSafe, nil, nil, nil) {
		t.Error("a range")
	}
}
