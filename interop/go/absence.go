package main

import (
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

var (
	isNeighbour    = nullOr(closed(map[string]form{"row": isRow, "index": isCount, "path": isPath}))
	isAbsenceProof = closed(map[string]form{
		"type":       oneOf("agent-trust-registry/absence-proof@v1"),
		"key_prefix": isToken,
		"left":       isNeighbour,
		"right":      isNeighbour,
		"release":    isManifest,
		"log":        isLogProof,
	})
	// What may stand in each part of a key; parts that may be null may be empty.
	partForms  = []form{isCode, isRegion, emptyOr(isNpi), emptyOr(isModifier), isBasis, emptyOr(isSetting)}
	stateStart = matching(`US-[A-Z]{2}-`)
)

func emptyOr(fits form) form {
	return func(value any) bool { return value == "" || fits(value) }
}

// wholeParts are the parts that a prefix fixes, and the state after which its region is cut, if it is.
func wholeParts(prefix string) (parts []string, state string, ok bool) {
	parts = strings.Split(prefix, "|")
	last := parts[len(parts)-1]
	switch {
	case len(parts) > len(keyParts):
		return nil, "", false
	case len(parts) == 2 && stateStart(last):
		parts, state = parts[:1], last
	case len(parts) < len(keyParts) && last == "":
		parts = parts[:len(parts)-1]
	case len(parts) < len(keyParts):
		return nil, "", false
	}
	for i, part := range parts {
		if !partForms[i](part) {
			return nil, "", false
		}
	}
	return parts, state, len(parts) > 0
}

// checkAbsence follows the six steps of proof.md.
func checkAbsence(value any, pinned *policy) (*proved, error) {
	if !isAbsenceProof(value) {
		return nil, reason("proof_malformed")
	}
	proof := value.(object)
	prefix, release := textOf(proof, "key_prefix"), proof["release"].(object)
	if _, _, ok := wholeParts(prefix); !ok {
		return nil, reason("key_prefix_malformed")
	}
	left, _ := proof["left"].(object)
	right, _ := proof["right"].(object)
	for _, neighbour := range []object{left, right} {
		if neighbour != nil && !inRelease(tlog.RecordHash(canonical(neighbour["row"])), neighbour, release) {
			return nil, reason("row_not_in_release")
		}
	}
	count := numberOf(release, "row_count")
	if left == nil && right == nil && count > 0 {
		return nil, reason("neighbours_missing")
	}
	if !areAdjacent(left, right, count) {
		return nil, reason("neighbours_not_adjacent")
	}
	// Go compares strings by their bytes.
	if left != nil {
		if key := keyOf(left["row"].(object)); key >= prefix || strings.HasPrefix(key, prefix) {
			return nil, reason("key_not_enclosed")
		}
	}
	if right != nil {
		if key := keyOf(right["row"].(object)); key <= prefix || strings.HasPrefix(key, prefix) {
			return nil, reason("key_not_enclosed")
		}
	}
	found := &proved{what: "absence", prefix: prefix, release: release}
	if left != nil {
		found.left = keyOf(left["row"].(object))
	}
	if right != nil {
		found.right = keyOf(right["row"].(object))
	}
	return found, found.inLog(release, proof["log"].(object), pinned, "release_not_in_log")
}

func areAdjacent(left, right object, count int64) bool {
	switch {
	case left != nil && right != nil:
		return numberOf(left, "index")+1 == numberOf(right, "index")
	case left != nil:
		return numberOf(left, "index") == count-1
	case right != nil:
		return numberOf(right, "index") == 0
	}
	return true
}
