package main

import "golang.org/x/mod/sumdb/tlog"

// openInOrder opens the older checkpoint first: of one log, and the newer one is not smaller.
func openInOrder(older, newer []byte, pinned *policy) (before, after *head, err error) {
	if before, err = openCheckpoint(older, pinned); err != nil {
		return nil, nil, err
	}
	if after, err = openCheckpoint(newer, pinned); err != nil {
		return nil, nil, err
	}
	switch {
	case before.origin != after.origin:
		err = reason("log_not_the_same")
	case after.size < before.size:
		err = reason("log_rolled_back")
	}
	return before, after, err
}

// openBoth also compares the roots of trees of one size.
func openBoth(older, newer []byte, pinned *policy) (before, after *head, err error) {
	before, after, err = openInOrder(older, newer, pinned)
	if err == nil && after.size == before.size && after.root != before.root {
		err = reason("log_forked")
	}
	return before, after, err
}

// checkGrowth reads what it needs of the tiles of the newer tree.
func checkGrowth(older, newer []byte, pinned *policy, from tileSource) (before, after *head, err error) {
	before, after, err = openBoth(older, newer, pinned)
	if err != nil || before.size == after.size && before.size > 0 {
		return before, after, err
	}
	reader := hashReader(from, after.size)
	// Every log has grown from nothing: there is no tile to read, and one root that nothing has.
	if before.size == 0 {
		return before, after, isThat(emptyRoot, before)
	}
	start, err := treeHash(before.size, reader)
	if err != nil {
		return before, after, err
	}
	proof, err := tlog.ProveTree(after.size, before.size, reader)
	if err != nil {
		return before, after, err
	}
	if tlog.CheckTree(proof, after.size, after.root, before.size, start) != nil {
		return before, after, reason("tiles_not_of_checkpoint")
	}
	return before, after, isThat(start, before)
}

func isThat(root tlog.Hash, before *head) error {
	if root != before.root {
		return reason("log_forked")
	}
	return nil
}

// checkGrowthByPath takes an RFC 9162 consistency path instead of tiles.
func checkGrowthByPath(older, newer []byte, pinned *policy, path []any) error {
	before, after, err := openBoth(older, newer, pinned)
	if err != nil {
		return err
	}
	hashes, ok := decodeHashes(path)
	switch {
	case !ok:
		return reason("log_forked")
	case before.size == 0 || before.size == after.size:
		// Nothing to prove, so a path that proves something is not one of these two trees.
		if len(hashes) > 0 {
			return reason("log_forked")
		}
		if before.size == 0 {
			return isThat(emptyRoot, before)
		}
		return nil
	case tlog.CheckTree(hashes, after.size, after.root, before.size, before.root) != nil:
		return reason("log_forked")
	}
	return nil
}
