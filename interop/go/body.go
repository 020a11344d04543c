package main

import (
	"fmt"
	"strings"
)

var (
	pageMembers    = []string{"data", "page", "links", "as_of"}
	problemMembers = []string{"type", "title", "status", "code", "detail", "request_id", "agent_hint", "errors", "regions"}
)

// checkBody verifies a whole answer, and with a question also that it answers it.
func checkBody(text []byte, pinned *policy, asked object) ([]*proved, error) {
	value, err := readJSON(text)
	if err != nil {
		return nil, err
	}
	found, isPage, err := checkValue(value, pinned)
	if err == nil && asked != nil {
		err = checkAnswers(found, isPage, asked)
	}
	return found, err
}

func checkValue(value any, pinned *policy) (found []*proved, isPage bool, err error) {
	body, ok := value.(object)
	if !ok {
		return nil, false, reason("not_recognised")
	}
	data, isList := body["data"].([]any)
	proofs, hasProofs := body["absence"].([]any)
	_, hasKind := body["kind"]
	stated, hasRow := body["row"]
	switch {
	case isAbsenceProof(body):
		found, err = checkAbsences([]any{body}, pinned)
	case isList && onlyAmong(body, pageMembers, "data"):
		isPage = true
		found, err = checkPage(data, pinned)
	case hasKind:
		found, err = asList(checkRow(body, pinned))
	case hasProofs && onlyAmong(body, problemMembers, "absence"):
		if body["code"] != "not_on_schedule" {
			return nil, false, reason("body_contradicts_proof")
		}
		found, err = checkAbsences(proofs, pinned)
	case hasRow && onlyAmong(body, problemMembers, "row"):
		found, err = asList(checkRow(stated, pinned))
		if err == nil && (textOf(stated, "kind") != "absence" || body["code"] != "absent_"+textOf(stated, "reason")) {
			err = reason("body_contradicts_proof")
		}
	default:
		err = reason("not_recognised")
	}
	return found, isPage, err
}

func asList(one *proved, err error) ([]*proved, error) { return []*proved{one}, err }

func onlyAmong(body object, names []string, besides string) bool {
	for name := range body {
		if name != besides && !oneOf(names...)(name) {
			return false
		}
	}
	return true
}

func checkPage(items []any, pinned *policy) (found []*proved, err error) {
	for _, item := range items {
		members, ok := item.(object)
		if !ok {
			return nil, reason("not_recognised")
		}
		var one *proved
		if _, isRow := members["kind"]; isRow {
			one, err = checkRow(item, pinned)
		} else {
			one, err = checkEntry(members, pinned)
		}
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	if !sameCheckpoint(found) {
		return nil, reason("mixed_checkpoints")
	}
	if len(found) == 0 {
		return nil, reason("nothing_proved")
	}
	return found, noneTwice(found, func(p *proved) string {
		if p.what == "row" {
			return fmt.Sprint("row ", textOf(p.row, "kind"), " ", keyOf(p.row), " ", textOf(p.release, "release_id"))
		}
		return fmt.Sprint("entry ", p.index, " ", p.origin)
	})
}

func checkAbsences(proofs []any, pinned *policy) (found []*proved, err error) {
	if len(proofs) == 0 {
		return nil, reason("proof_missing")
	}
	for _, proof := range proofs {
		one, err := checkAbsence(proof, pinned)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	if !sameCheckpoint(found) {
		return nil, reason("mixed_checkpoints")
	}
	for _, each := range found {
		if codeOf(each.prefix) != codeOf(found[0].prefix) {
			return nil, reason("answers_another_question")
		}
	}
	return found, noneTwice(found, func(p *proved) string { return textOf(p.release, "chart") })
}

func codeOf(prefix string) string {
	code, _, _ := strings.Cut(prefix, "|")
	return code
}

func sameCheckpoint(found []*proved) bool {
	for _, each := range found {
		if each.checkpoint != found[0].checkpoint {
			return false
		}
	}
	return true
}

func noneTwice(found []*proved, name func(*proved) string) error {
	seen := map[string]bool{}
	for _, each := range found {
		if seen[name(each)] {
			return reason("repeated_item")
		}
		seen[name(each)] = true
	}
	return nil
}
