package main

import (
	"encoding/base64"

	"golang.org/x/mod/sumdb/tlog"
)

const rowProofType = "agent-trust-registry/row-proof@v1"

var (
	isCitation = closed(map[string]form{
		"title":        isLabel,
		"url":          matching(`[!-~]{0,300}`),
		"file":         matching(`[A-Za-z0-9._-]{1,120}`),
		"sha256":       matching(`[0-9a-f]{64}`),
		"bytes":        isCount,
		"media_type":   matching(`[a-z]+/[a-z0-9.+-]+`),
		"retrieved_at": isInstant,
	})
	isPlainManifest = closed(map[string]form{
		"schema":         oneOf("price-release/1"),
		"release_id":     isToken,
		"chart":          isToken,
		"edition":        isToken,
		"publisher":      isLabel,
		"effective_from": isDay,
		"citations":      listOf(64, isCitation),
		"row_count":      isCount,
		"rejected_count": isCount,
		"rows_root":      isHash,
		"data_class":     oneOf("published", "sample"),
		"supersedes":     nullOr(isToken),
		"recorded_at":    isInstant,
	})
	isOverrides  = listOf(64, closed(map[string]form{"rule": isName, "reason": isName}))
	isWithdrawal = closed(map[string]form{
		"schema":      oneOf("price-withdrawal/1"),
		"release_id":  isToken,
		"chart":       isToken,
		"reason":      isName,
		"recorded_at": isInstant,
	})
	isLogProof = closed(map[string]form{"index": isCount, "inclusion": isPath, "checkpoint": isText})
	isRowProof = closed(map[string]form{
		"type":    oneOf(rowProofType),
		"row":     closed(map[string]form{"index": isCount, "leaf_hash": isHash, "path": isPath}),
		"release": isManifest,
		"log":     isLogProof,
	})
	isEntryProof = closed(map[string]form{"log": isLogProof})
	isPlainChange = closed(map[string]form{
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
	})
)

// isManifest: overrides is there only if the operator set limits aside.
func isManifest(value any) bool {
	given, ok := value.(object)
	overrides, there := given["overrides"]
	if !ok || !there {
		return isPlainManifest(value)
	}
	items, ok := overrides.([]any)
	if !ok || len(items) == 0 || !isOverrides(overrides) {
		return false
	}
	rest := object{}
	for name, member := range given {
		if name != "overrides" {
			rest[name] = member
		}
	}
	return isPlainManifest(rest)
}

// isChange: the ledger's root is there since there are seals, epsilon only with noise.
func isChange(value any) bool {
	given, ok := value.(object)
	if !ok {
		return false
	}
	rest := given
	for name, fits := range map[string]form{"ledger_root": isHash, "epsilon": isToken} {
		if member, there := given[name]; there {
			if !fits(member) {
				return false
			}
			rest = without(rest, name)
		}
	}
	return isPlainChange(rest)
}

func isTextOrNumber(value any) bool {
	_, number := value.(float64)
	return number || isText(value)
}

// proved is one thing that was shown to be in a log.
type proved struct {
	what       string // "row", "absence" or "entry"
	row        object // a row, without its proof
	release    object // of a row or an absence
	prefix     string // of an absence
	left       string // the keys on either side of an absence, empty at an end of the release
	right      string
	checkpoint string
	origin     string
	index      int64 // in the log
}

// checkRow follows the seven steps of proof.md.
func checkRow(value any, pinned *policy) (*proved, error) {
	given, ok := value.(object)
	if !ok {
		return nil, reason("row_malformed")
	}
	row := without(given, "proof")
	if !isRow(row) {
		return nil, reason("row_malformed")
	}
	if given["proof"] == nil {
		return nil, reason("proof_missing")
	}
	if !isRowProof(given["proof"]) {
		return nil, reason("proof_malformed")
	}
	proof := given["proof"].(object)
	place, release := proof["row"].(object), proof["release"].(object)
	leaf := canonical(row)
	if len(leaf) > maxLeaf {
		return nil, reason("row_too_large")
	}
	hash := tlog.RecordHash(leaf)
	if base64.StdEncoding.EncodeToString(hash[:]) != place["leaf_hash"] {
		return nil, reason("leaf_hash_mismatch")
	}
	if !inRelease(hash, place, release) {
		return nil, reason("row_not_in_release")
	}
	if !isCited(row, release) {
		return nil, reason("locator_not_cited")
	}
	found := &proved{what: "row", row: row, release: release}
	return found, found.inLog(release, proof["log"].(object), pinned, "release_not_in_log")
}

// inRelease: place has an index and a path, release a root and a size.
func inRelease(leaf tlog.Hash, place, release object) bool {
	root, ok := decodeHash(textOf(release, "rows_root"))
	path, decoded := decodeHashes(place["path"])
	return ok && decoded &&
		tlog.CheckRecord(path, numberOf(release, "row_count"), root, numberOf(place, "index"), leaf) == nil
}

func isCited(row, release object) bool {
	locator, citations := row["locator"].([]any), release["citations"].([]any)
	for _, each := range locator {
		if numberOf(each, "citation") >= int64(len(citations)) {
			return false
		}
	}
	return len(locator) > 0
}

// inLog opens the checkpoint and follows the inclusion path to its root: steps 6 and 7.
func (p *proved) inLog(entry, log object, pinned *policy, otherwise reason) error {
	p.checkpoint = textOf(log, "checkpoint")
	head, err := openCheckpoint([]byte(p.checkpoint), pinned)
	if err != nil {
		return err
	}
	p.origin, p.index = head.origin, numberOf(log, "index")
	path, ok := decodeHashes(log["inclusion"])
	if !ok || tlog.CheckRecord(path, head.size, head.root, p.index, tlog.RecordHash(canonical(entry))) != nil {
		return otherwise
	}
	return nil
}

// checkEntry checks a change of a figure.
func checkEntry(given object, pinned *policy) (*proved, error) {
	if !isEntryProof(given["proof"]) {
		return nil, reason("proof_malformed")
	}
	entry := without(given, "proof")
	if !isChange(entry) {
		return nil, reason("entry_malformed")
	}
	found := &proved{what: "entry"}
	err := found.inLog(entry, given["proof"].(object)["log"].(object), pinned, "entry_not_in_log")
	if err == nil && numberOf(entry, "seq") != found.index {
		err = reason("seq_not_its_place")
	}
	return found, err
}
