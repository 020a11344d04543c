package main

// A batch is proof.md, "Batches": each line answers the question in the same place.

var (
	batchMembers   = []string{"results", "releases", "state", "log", "summary", "as_of", "sources_lost"}
	refusedMembers = []string{"type", "title", "status", "code", "detail", "request_id", "agent_hint", "errors", "instance"}
	problemMembers = append([]string{"row", "because", "place", "charts", "available", "choices"}, refusedMembers...)
	pricedMembers  = []string{"status", "row", "because", "place", "modifiers_ignored", "adjustment"}
	billMembers    = []string{"units", "billed"}
	isBilled       = nullOr(isMoney)
)

const mostLines, mostUnits = 100, 999_999

func isUnits(value any) bool {
	return integerFrom(1)(value) && value.(float64) <= mostUnits
}

// A billLine is a line of a batch, with its answer, nil where it was refused with 400.
type billLine struct {
	line   object
	units  float64
	billed any // null or an amount
	answer *answer
}

func (f *facts) addBatch(body object, questions []any, v *verdict) error {
	results := body["results"].([]any)
	if !onlyAmong(body, batchMembers) || len(results) > mostLines || !tellsLost(body) {
		return reason("not_recognised")
	}
	if questions != nil && len(questions) != len(results) {
		return errAnother
	}
	shared, err := f.addList(body, 500)
	if err != nil {
		return err
	}
	var lines []*billLine
	for i, item := range results {
		one, err := shared.takeBillLine(item)
		if err != nil {
			return at(i, err)
		}
		lines = append(lines, one)
	}
	if err := shared.prove(); err != nil {
		return err
	}
	b := newBill(len(lines))
	for i, each := range lines {
		if questions != nil {
			d, err := f.lineAnswers(each, questions[i])
			if err != nil {
				return at(i, err)
			}
			if d != nil {
				v.decisions = append(v.decisions, d)
			}
		}
		if each.answer == nil {
			v.refused++
			continue
		}
		if !b.add(each) {
			return at(i, reason("body_contradicts_proof"))
		}
		if own := each.answer.own; own != nil {
			v.rows = append(v.rows, provedRow{own.row, own.of.manifest})
		}
	}
	if v.refused == len(lines) {
		return reason("nothing_proved")
	}
	if !same(body["summary"], b.summary()) {
		return reason("body_contradicts_proof")
	}
	return nil
}

func (l *list) takeBillLine(item any) (*billLine, error) {
	line, ok := item.(object)
	if !ok {
		return nil, reason("not_recognised")
	}
	units := any(1.0)
	if has(line, "units") {
		units = line["units"]
	}
	if !isUnits(units) || !isBilled(line["billed"]) {
		return nil, reason("not_recognised")
	}
	one := &billLine{line: line, units: units.(float64), billed: line["billed"]}
	rest := without(line, billMembers...)
	if line["status"] == 200.0 {
		rest = without(rest, "extended")
	}
	var err error
	one.answer, err = l.takeLine(rest)
	return one, err
}

// takeLine takes a line without what was billed, or what an edition answers in a history: steps 4.2 to 4.6. Status 400
// has no answer.
func (l *list) takeLine(line object) (*answer, error) {
	a := &answer{body: line}
	switch line["status"] {
	case 200.0:
		if !onlyAmong(line, pricedMembers) || !has(line, "row") {
			return nil, reason("not_recognised")
		}
	case 400.0, 404.0:
		problem, ok := line["problem"].(object)
		if !onlyAmong(line, []string{"status", "problem"}) || has(line, "problem") && !ok {
			return nil, reason("not_recognised")
		}
		if line["status"] == 400.0 {
			if !onlyAmong(problem, refusedMembers) {
				return nil, reason("not_recognised")
			}
			return nil, nil
		}
		if !isText(problem["code"]) || !onlyAmong(problem, problemMembers) {
			return nil, reason("not_recognised")
		}
		a.body, a.refusal = problem, true
	default:
		return nil, reason("not_recognised")
	}
	var err error
	if shown, there := a.body["row"]; there {
		if a.own, err = l.take(shown); err != nil {
			return nil, err
		}
	}
	if shown, there := a.body["place"]; there {
		if a.place, err = l.takePlace(shown); err != nil {
			return nil, err
		}
	}
	if because, there := a.body["because"]; there {
		if err := l.takeBecause(because); err != nil {
			return nil, err
		}
	}
	if !a.refusal && !has(a.own.row, "price") || a.refusal && a.own != nil && !codeFits(a.body["code"], a.own.row) {
		return nil, reason("body_contradicts_proof")
	}
	if !a.refusal {
		if err := toldOfModifiers(a.body, a.own.row); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// lineAnswers: a line is what was asked for in its place (step 6.1). What is no object is a question without meaning.
func (f *facts) lineAnswers(l *billLine, question any) (*decision, error) {
	given, _ := question.(object)
	asked := without(given, billMembers...)
	bill := object{}
	for _, name := range billMembers {
		if value, there := given[name]; there && !(name == "billed" && value == "") {
			bill[name] = value
		}
	}
	if l.answer == nil {
		if parseQuestion(asked) != nil && closedOr(nil, map[string]form{"units": isUnits, "billed": isBilled})(bill) {
			return nil, errAnother
		}
		return nil, nil
	}
	for name, value := range bill {
		if !same(value, object{"units": l.units, "billed": l.billed}[name]) {
			return nil, errAnother
		}
	}
	return f.checkAnswers(l.answer, asked)
}
