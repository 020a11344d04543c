package main

import (
	"errors"
	"fmt"
)

// asked is one of these (proof.md, Whole answers); all nil is any question.
type asked struct {
	question  object
	questions []any
	page      object
	sheet     object
	releases  object
	coverage  object
	history   object
	figures   bool
}

// kind is that of the body which could answer, or empty if nothing was asked.
func (a asked) kind() string {
	switch {
	case a.question != nil:
		return "lookup"
	case a.questions != nil:
		return "batch"
	case a.page != nil:
		return "page"
	case a.sheet != nil:
		return "sheet"
	case a.releases != nil:
		return "releases"
	case a.coverage != nil:
		return "coverage"
	case a.history != nil:
		return "history"
	case a.figures:
		return "figures"
	}
	return ""
}

// askedLike is what was asked for, taken for a question of a kind.
func askedLike(kind string, what object) asked {
	switch kind {
	case "page":
		return asked{page: what}
	case "sheet":
		return asked{sheet: what}
	case "releases":
		return asked{releases: what}
	case "coverage":
		return asked{coverage: what}
	case "history":
		return asked{history: what}
	}
	return asked{question: what}
}

func (a asked) nothing() bool { return a.kind() == "" }

// kindOf is that of a body, by its members alone.
func kindOf(body object) string {
	data, isList := body["data"].([]any)
	_, isBatch := body["results"].([]any)
	if textOf(body["proof"], "type") == figuresProof {
		return "figures"
	}
	if isList {
		isChanges := has(body, "states")
		for _, item := range data {
			members, _ := item.(object)
			isChanges = isChanges || has(members, "seq")
		}
		switch {
		case isChanges:
			return "changes"
		case has(body, "timeline"):
			return "history"
		case has(body, "proof") && has(body, "as_of"):
			return "coverage"
		case has(body, "proof"):
			return "releases"
		case has(body, "not_held"):
			return "sheet"
		}
		return "page"
	}
	if isBatch {
		return "batch"
	}
	return "lookup"
}

// A verdict is what was proved by a body that is good.
type verdict struct {
	rows       []provedRow
	decisions  []*decision
	listed     []listedRelease
	page       object // where it stands in its list
	entries    int
	refused    int
	checkpoint string
	opened     *head  // the checkpoint, opened
	recordedAt string // empty if no state is known
	figures    object // their state, if they were the answer
}

type provedRow struct{ row, manifest object }

// A listedRelease of a list, with its period, nil if it has none.
type listedRelease struct{ manifest, period object }

var errAnother = reason("answers_another_question")

// verifyBody verifies a whole answer.
func verifyBody(text []byte, pinned *policy, what asked, age limits) (*verdict, error) {
	value, err := readJSON(text)
	if err != nil {
		return nil, err
	}
	body, ok := value.(object)
	if !ok {
		return nil, reason("not_recognised")
	}
	kind := kindOf(body)
	if what.figures || kind == "figures" {
		return checkFigures(body, pinned, what, age)
	}
	if what.history != nil && kind == "lookup" && body["code"] == "unknown_provider" {
		what = asked{question: onAnyDay(what.history)} // a provider of whom no file speaks has no history (Histories)
	}
	if wanted := what.kind(); wanted != "" && wanted != kind {
		if kind == "page" && (wanted == "releases" || wanted == "coverage" || wanted == "history") {
			return nil, reason("proof_missing") // a page of rows has no member that could prove a list
		}
		return nil, errAnother
	}
	f, v := newFacts(pinned), &verdict{}
	switch kind {
	case "changes":
		return checkChangePage(body, pinned, age)
	case "history":
		err = f.addHistory(body, what.history, v)
	case "releases":
		err = f.addReleaseList(body, what.releases, v)
	case "coverage":
		err = f.addCoverage(body, what.coverage, v)
	case "sheet":
		err = f.addSheet(body, what.sheet, v)
	case "page":
		err = f.addPage(body, what.page, v)
	case "batch":
		err = f.addBatch(body, what.questions, v)
	default:
		_, err = f.addLookup(body, what.question, v)
	}
	if err != nil {
		return nil, err
	}
	if !onlyCheckpoint(body, f.checkpoint) {
		return nil, reason("mixed_checkpoints")
	}
	v.checkpoint, v.opened, v.recordedAt = f.checkpoint, f.opened, textOf(f.state, "recorded_at")
	return v, f.opened.checkAge(v.recordedAt, age)
}

// onlyCheckpoint: a checkpoint that was not opened must not stand anywhere.
func onlyCheckpoint(value any, known string) bool {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if !onlyCheckpoint(item, known) {
				return false
			}
		}
	case object:
		for name, member := range v {
			if name == "checkpoint" && member != any(known) || !onlyCheckpoint(member, known) {
				return false
			}
		}
	}
	return true
}

// at names the item of a list at which something failed, from 1.
func at(place int, err error) error {
	if why := reason(""); errors.As(err, &why) {
		return fmt.Errorf("%w (item %d)", err, place+1)
	}
	return err
}

// An answer is the body of a lookup with what was proved in it.
type answer struct {
	body    object
	refusal bool
	own     *cited
	place   *cited
	last    *cited
}

var (
	refusalMembers = []string{"type", "title", "status", "code", "detail", "request_id", "agent_hint", "errors", "instance",
		"row", "absence", "because", "place", "charts", "available", "choices", "last_known"}
	besideRow   = []string{"because", "place", "modifiers_ignored", "adjustment", "related", "sources_lost"}
	relatedPart = nullOr(matching(`[A-Za-z0-9_-]{1,40}`))
	isRelated   = listOf(8, closed(map[string]form{
		"basis": relatedPart, "setting": relatedPart, "class": relatedPart, "modifier": relatedPart, "href": isToken}))
	isLost = listOf(20, closed(map[string]form{
		"release_id": isToken, "sha256": isSha256, "state": oneOf("changed", "gone"), "since": isInstant}))
)

// tellsLost: lost sources, if they are told, have their form. Nothing is checked or used of what they say.
func tellsLost(members object) bool {
	lost, there := members["sources_lost"]
	return !there || isLost(lost)
}

// addLookup checks the body of a lookup, and with a question whether it answers it.
func (f *facts) addLookup(body, question object, v *verdict) (*answer, error) {
	a := &answer{body: body}
	_, a.refusal = body["code"].(string)
	if a.refusal && !onlyAmong(body, refusalMembers) {
		return nil, reason("not_recognised")
	}
	if related, there := body["related"]; there && !isRelated(related) || !tellsLost(body) {
		return nil, reason("not_recognised")
	}
	var err error
	if !a.refusal {
		a.own, err = f.addCited(without(body, besideRow...))
	} else if shown, there := body["row"]; there {
		if a.own, err = f.addCited(shown); err == nil && !codeFits(body["code"], a.own.row) {
			err = reason("body_contradicts_proof")
		}
	}
	if err == nil && !a.refusal {
		err = toldOfModifiers(body, a.own.row)
	}
	if err != nil {
		return nil, err
	}
	if shown, there := body["place"]; there {
		if a.place, err = f.addPlace(shown); err != nil {
			return nil, err
		}
	}
	if a.refusal {
		if absence, there := body["absence"]; there {
			proofs, _ := absence.([]any)
			if len(proofs) == 0 {
				return nil, reason("proof_missing")
			}
			for _, proof := range proofs {
				if err := f.addAbsence(proof); err != nil {
					return nil, err
				}
			}
		}
	}
	if because, there := body["because"]; there {
		var own *release
		if a.own != nil {
			own = a.own.of
		}
		if err := f.addBecause(because, own); err != nil {
			return nil, err
		}
	}
	if shown, there := body["last_known"]; there && a.refusal {
		if a.last, err = f.addCited(shown); err != nil {
			return nil, err
		}
	}
	if f.checkpoint == "" {
		return nil, reason("proof_missing")
	}
	if question != nil {
		d, err := f.checkAnswers(a, question)
		if err != nil {
			return nil, err
		}
		v.decisions = append(v.decisions, d)
	}
	if a.own != nil {
		v.rows = append(v.rows, provedRow{a.own.row, a.own.of.manifest})
	}
	return a, nil
}

func (f *facts) addPlace(value any) (*cited, error) {
	return onlyPlace(f.addCited(value))
}

func codeFits(code any, row object) bool {
	switch textOf(row, "kind") {
	case "absence":
		return code == "absent_"+textOf(row, "reason")
	case "place":
		return false
	}
	return code == "modifier_not_allowed"
}
