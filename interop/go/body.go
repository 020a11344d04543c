package main

import (
	"fmt"
	"strings"
)

var (
	pageMembers    = []string{"data", "page", "links", "as_of"}
	batchMembers   = []string{"results", "as_of"}
	problemMembers = []string{"type", "title", "status", "code", "detail", "request_id", "agent_hint", "errors", "regions"}
	saysNoRow      = oneOf("not_on_schedule", "region_not_covered")
	// What an entry of a history says of its edition, which the manifest says too.
	editionMembers = []string{"release_id", "chart", "edition", "data_class", "effective_from"}
)

// terms are whose signatures count and, unless nil, what was asked.
type terms struct {
	pinned *policy
	asked  object
}

// checkBody verifies a whole answer, and with a question also that it answers it.
func checkBody(text []byte, pinned *policy, asked object) ([]*proved, error) {
	value, err := readJSON(text)
	if err != nil {
		return nil, err
	}
	body, ok := value.(object)
	if !ok {
		return nil, reason("not_recognised")
	}
	t := terms{pinned, asked}
	data, isPage := body["data"].([]any)
	results, isBatch := body["results"].([]any)
	_, hasKind := body["kind"]
	switch {
	case isAbsenceProof(body):
		return t.absences([]any{body})
	case isPage && onlyAmong(body, pageMembers, "data"):
		found, err := inTurn(data, t.item)
		if err != nil {
			return nil, err
		}
		if err := noneTwice(found, describe); err != nil {
			return nil, err
		}
		if !oneWay(found) {
			return nil, reason("entries_out_of_order")
		}
		return found, nil
	case isBatch && onlyAmong(body, batchMembers, "results"):
		return inTurn(results, t.line)
	case hasKind:
		return t.row(body, rowAnswers)
	}
	return t.problem(body)
}

// inTurn checks the items of a list: all under one checkpoint, and something must be proved.
func inTurn(items []any, check func(any) ([]*proved, error)) (all []*proved, err error) {
	for i, item := range items {
		found, err := check(item)
		if err != nil {
			return nil, fmt.Errorf("%w (item %d)", err, i+1)
		}
		all = append(all, found...)
	}
	if !sameCheckpoint(all) {
		return nil, reason("mixed_checkpoints")
	}
	if len(all) == 0 {
		return nil, reason("nothing_proved")
	}
	return all, nil
}

func (t terms) row(value any, fits func(row, asked object) bool) ([]*proved, error) {
	one, err := checkRow(value, t.pinned)
	if err == nil && t.asked != nil && !(isQuestion(t.asked) && inForce(one, t.asked) && fits(one.row, t.asked)) {
		err = reason("answers_another_question")
	}
	return []*proved{one}, err
}

// item is a row, an edition of a history or a change of a figure.
func (t terms) item(value any) ([]*proved, error) {
	members, ok := value.(object)
	if !ok {
		return nil, reason("not_recognised")
	}
	if _, isEdition := members["absence"]; isEdition {
		return t.edition(members)
	}
	if _, isRow := members["kind"]; isRow {
		return t.row(value, rowFits)
	}
	one, err := checkEntry(members, t.pinned)
	if err == nil && t.asked != nil {
		err = reason("answers_another_question")
	}
	return []*proved{one}, err
}

func (t terms) edition(entry object) (found []*proved, err error) {
	proofs, isList := entry["absence"].([]any)
	ends := entry["effective_to"]
	known := append([]string{"effective_to", "row"}, editionMembers...)
	if !onlyAmong(entry, known, "absence") || len(entry) != len(known)+1 || !nullOr(isDay)(ends) {
		return nil, reason("not_recognised")
	}
	switch {
	case entry["row"] == nil && isList:
		found, err = t.absences(proofs)
	case entry["row"] != nil && entry["absence"] == nil:
		found, err = t.row(entry["row"], rowAnswers)
	default:
		err = reason("not_recognised")
	}
	if err != nil {
		return nil, err
	}
	for _, each := range found {
		for _, name := range editionMembers {
			if each.release[name] != entry[name] {
				return nil, reason("body_contradicts_proof")
			}
		}
	}
	return found, nil
}

// line is a price of a batch, or the refusal of a lookup. A refusal of the question itself proves nothing.
func (t terms) line(value any) ([]*proved, error) {
	line, _ := value.(object)
	problem, _ := line["problem"].(object)
	code, hasCode := problem["code"].(string)
	switch {
	case line["status"] == 200.0 && onlyAmong(line, []string{"status"}, "row"):
		found, err := t.row(line["row"], rowAnswers)
		if err == nil && textOf(found[0].row, "kind") != "price" {
			err = reason("body_contradicts_proof")
		}
		return found, err
	case line["status"] != 400.0 && line["status"] != 404.0 || !onlyAmong(line, []string{"status"}, "problem"):
		return nil, reason("not_recognised")
	case hasCode && !saysNoRow(code) && !strings.HasPrefix(code, "absent_") && onlyAmong(problem, problemMembers, "code"):
		return nil, nil
	}
	return t.problem(problem)
}

func (t terms) problem(body object) (found []*proved, err error) {
	proofs, hasProofs := body["absence"].([]any)
	stated, hasRow := body["row"]
	switch {
	case hasProofs && onlyAmong(body, problemMembers, "absence"):
		if !saysNoRow(body["code"]) {
			return nil, reason("body_contradicts_proof")
		}
		return t.absences(proofs)
	case hasRow && onlyAmong(body, problemMembers, "row"):
		found, err = t.row(stated, rowAnswers)
		if err == nil && (textOf(stated, "kind") != "absence" || body["code"] != "absent_"+textOf(stated, "reason")) {
			err = reason("body_contradicts_proof")
		}
		return found, err
	}
	return nil, reason("not_recognised")
}

func onlyAmong(body object, names []string, besides string) bool {
	for name := range body {
		if name != besides && !oneOf(names...)(name) {
			return false
		}
	}
	return true
}

// describe names what was proved, so that the same thing has the same name.
func describe(p *proved) string {
	switch p.what {
	case "row":
		return fmt.Sprint("row ", textOf(p.row, "kind"), " ", keyOf(p.row), " ", textOf(p.release, "release_id"))
	case "absence":
		return fmt.Sprint("absence ", p.prefix, " ", textOf(p.release, "release_id"))
	}
	return fmt.Sprint("entry ", p.index, " ", p.origin)
}

func (t terms) absences(proofs []any) (found []*proved, err error) {
	if len(proofs) == 0 {
		return nil, reason("proof_missing")
	}
	for _, proof := range proofs {
		one, err := checkAbsence(proof, t.pinned)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	if !sameCheckpoint(found) {
		return nil, reason("mixed_checkpoints")
	}
	editions := map[string]string{}
	for _, each := range found {
		if codeOf(each.prefix) != codeOf(found[0].prefix) {
			return nil, reason("answers_another_question")
		}
	}
	for _, each := range found {
		chart, edition := textOf(each.release, "chart"), textOf(each.release, "release_id")
		if known, there := editions[chart]; there && known != edition {
			return nil, reason("repeated_item")
		}
		editions[chart] = edition
	}
	if err := noneTwice(found, describe); err != nil {
		return nil, err
	}
	if t.asked != nil && !(isQuestion(t.asked) && absencesAnswer(found, t.asked)) {
		return nil, reason("answers_another_question")
	}
	return found, nil
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
