package main

import (
	"sort"
	"strings"
)

type leaf struct {
	index int64
	key   string
	value object
}

// A tree is what is known of one: some leaves, in the order of their indices, which is also that of their keys.
type tree struct {
	size   int64
	leaves []leaf
}

// keep adds a leaf that was proved to stand at its index. Since known leaves are sorted, only the two beside it matter.
func (t *tree) keep(index int64, key string, value object) error {
	at := sort.Search(len(t.leaves), func(i int) bool { return t.leaves[i].index >= index })
	if at < len(t.leaves) && t.leaves[at].index == index {
		if t.leaves[at].key != key {
			return reason("leaves_contradict")
		}
		return nil
	}
	if at > 0 && t.leaves[at-1].key >= key || at < len(t.leaves) && t.leaves[at].key <= key {
		return reason("leaves_contradict")
	}
	t.leaves = append(t.leaves, leaf{})
	copy(t.leaves[at+1:], t.leaves[at:])
	t.leaves[at] = leaf{index, key, value}
	return nil
}

// from is the place among the known leaves of the first whose key is not before the given one.
func (t *tree) from(key string) int {
	return sort.Search(len(t.leaves), func(i int) bool { return t.leaves[i].key >= key })
}

// with is the leaf with a key, if it is known.
func (t *tree) with(key string) *leaf {
	if at := t.from(key); at < len(t.leaves) && t.leaves[at].key == key {
		return &t.leaves[at]
	}
	return nil
}

// beside are the known leaf with a key, if there is one, and those next to where it is or would be.
func (t *tree) beside(key string) []leaf {
	first, end := t.from(key), t.from(key)
	if first > 0 {
		first--
	}
	if end < len(t.leaves) && t.leaves[end].key == key {
		end++
	}
	if end < len(t.leaves) {
		end++
	}
	return t.leaves[first:end]
}

// notAfter is the last leaf whose key is not after the given one, or nil if there is none; told says whether this is
// proved.
func (t *tree) notAfter(key string) (last *leaf, told bool) {
	next := sort.Search(len(t.leaves), func(i int) bool { return t.leaves[i].key > key })
	if next == 0 {
		return nil, t.size == 0 || len(t.leaves) > 0 && t.leaves[0].index == 0
	}
	last = &t.leaves[next-1]
	told = last.index == t.size-1 || next < len(t.leaves) && t.leaves[next].index == last.index+1
	return last, told
}

// under are all leaves whose keys begin with the prefix, if they are proved to be all.
func (t *tree) under(prefix string) (found []leaf, told bool) {
	at := t.from(prefix)
	index := int64(0)
	if at > 0 {
		index = t.leaves[at-1].index + 1
	}
	for ; index < t.size; at, index = at+1, index+1 {
		if at == len(t.leaves) || t.leaves[at].index != index {
			return nil, false
		}
		if !strings.HasPrefix(t.leaves[at].key, prefix) {
			break
		}
		found = append(found, t.leaves[at])
	}
	return found, true
}

// knownUnder are the known leaves whose keys begin with the prefix.
func (t *tree) knownUnder(prefix string) []leaf {
	at := t.from(prefix)
	end := at
	for end < len(t.leaves) && strings.HasPrefix(t.leaves[end].key, prefix) {
		end++
	}
	return t.leaves[at:end]
}
