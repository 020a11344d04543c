package main

import (
	"errors"
	"fmt"
)

// asked is one question, a list of questions or a page; all nil is any question.
type asked struct {
	question  object
	questions []any
	page      object
}

func (a asked) nothing() bool { return a.question == nil && a.questions == nil && a.page == nil }

// A verdict is what was proved by a body that is good.
type verdict struct {
	rows       []provedRow
	decisions  []*decision
	entries    int
	refused    int
	checkpoint string
	recordedAt string // empty if no state is known
}

type provedRow struct{ row, manifest object }

var errAnother = reason("answers_another_question")

// verifyBody verifies a whole answer. An empty notBefore was not given.
func verifyBody(text []byte, pinned *policy, what asked, notBefore *string) (*verdict, error) {
	value, err := readJSON(text)
	if err != nil {
		return nil, err
	}
	body, ok := value.(object)
	if !ok {
		return nil, reason("not_recognised")
	}
	data, isPage := body["data"].([]any)
	_, isBatch := body["results"].([]any)
	for _, item := range data {
		if members, ok := item.(object); ok && has(members, "seq") {
			if !what.nothing() {
				return nil, errAnother
			}
			return checkChangePage(body, data, pinned)
		}
	}
	f, v := newFacts(pinned), &verdict{}
	switch {
	case isPage:
		if what.question != nil || what.questions != nil {
			return nil, errAnother
		}
		err = f.addPage(body, what.page, v)
	case isBatch:
		if what.question != nil || what.page != nil {
			return nil, errAnother
		}
		err = f.addBatch(body, what.questions, v)
	default:
		if what.questions != nil || what.page != nil {
			return nil, errAnother
		}
		_, err = f.addLookup(body, what.question, v)
	}
	if err != nil {
		return nil, err
	}
	if !onlyCheckpoint(body, f.checkpoint) {
		return nil, reason("mixed_checkpoints")
	}
	v.checkpoint, v.recordedAt = f.checkpoint, textOf(f.state, "recorded_at")
	if notBefore != nil && !(isInstant(*notBefore) && f.state != nil && !timeOf(v.recordedAt).Before(timeOf(*notBefore))) {
		return nil, reason("state_too_old")
	}
	return v, nil
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
	besideRow   = []string{"because", "place", "modifiers_ignored", "adjustment", "related"}
	relatedPart = nullOr(matching(`[A-Za-z0-9_-]{1,40}`))
	isRelated   = listOf(8, closed(map[string]form{
		"basis": relatedPart, "setting": relatedPart, "class": relatedPart, "modifier": relatedPart, "href": isToken}))
)

// addLookup checks the body of a lookup, and with a question whether it answers it.
func (f *facts) addLookup(body, question object, v *verdict) (*answer, error) {
	a := &answer{body: body}
	_, a.refusal = body["code"].(string)
	if a.refusal && !onlyAmong(body, refusalMembers) {
		return nil, reason("not_recognised")
	}
	if related, there := body["related"]; there && !isRelated(related) {
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
	one, err := f.addCited(value)
	if err == nil && textOf(one.row, "kind") != "place" {
		err = reason("row_malformed")
	}
	return one, err
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
