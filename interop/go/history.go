package main

import "sort"

var historyMembers = []string{"data", "page", "links", "timeline", "releases", "state", "log", "sources_lost"}

// A pastEdition is an item of a history: what an edition answers from its own chart.
type pastEdition struct {
	of     *release
	period object
	answer *answer
}

// addHistory checks the answers of all editions that may answer a question (proof.md, Histories).
func (f *facts) addHistory(body, what object, v *verdict) error {
	if !onlyAmong(body, historyMembers) || !isListPage(body) || !tellsLost(body) {
		return reason("not_recognised")
	}
	if !isRuns(body["timeline"]) {
		return reason("proof_malformed")
	}
	shared, err := f.addList(body, 400)
	if err != nil {
		return err
	}
	runs, err := f.addRuns(body["timeline"].([]any))
	if err != nil {
		return err
	}
	items, err := shared.takeEditions(body["data"].([]any), runs)
	if err != nil {
		return err
	}
	if err := shared.prove(); err != nil {
		return err
	}
	v.entries, v.page = len(items), placeOf(body)
	for _, each := range items {
		v.listed = append(v.listed, listedRelease{each.of.manifest, each.period})
		if own := each.answer.own; own != nil {
			v.rows = append(v.rows, provedRow{own.row, own.of.manifest})
		}
	}
	if what == nil {
		if len(items) == 0 {
			return reason("nothing_proved")
		}
		return nil
	}
	return f.historyAnswers(body, what, runs, items, v)
}

// takeEditions is step 5: each item is of a period of the runs, and comes in its order.
func (l *list) takeEditions(data []any, runs []*timelineRun) (items []*pastEdition, err error) {
	periods, known := map[string]object{}, map[string]*release{}
	for _, r := range runs {
		for _, period := range r.periods {
			if key := periodKey(period); periods[key] == nil {
				periods[key] = period
			}
		}
	}
	for _, each := range l.releases {
		known[leafHash(each.of.manifest)] = each.of
	}
	for i, value := range data {
		one, err := l.takeEdition(value, periods, known)
		if err == nil && i > 0 && !isNewer(items[i-1].period, one.period) {
			err = reason("entries_out_of_order")
		}
		if err != nil {
			return nil, at(i, err)
		}
		items = append(items, one)
	}
	return items, nil
}

func (l *list) takeEdition(value any, periods map[string]object, known map[string]*release) (*pastEdition, error) {
	item, _ := value.(object)
	given, ok := item["answer"].(object)
	if !ok {
		return nil, reason("not_recognised")
	}
	period := periods[textOf(item, "chart")+"|"+textOf(item, "effective_from")]
	of := known[textOf(period, "release")]
	if period == nil || of == nil {
		return nil, reason("release_not_in_force")
	}
	follows := object{"effective_from": period["from"], "effective_to": period["to"]}
	for _, name := range []string{"release_id", "chart", "edition", "data_class"} {
		follows[name] = of.manifest[name]
	}
	if !same(without(item, "answer"), follows) {
		return nil, reason("body_contradicts_proof")
	}
	answer, err := l.takeLine(given)
	switch {
	case err != nil:
		return nil, err
	case answer == nil: // a question that one edition can refuse has no meaning for any
		return nil, reason("not_recognised")
	case answer.own != nil && answer.own.of != of:
		return nil, reason("body_contradicts_proof")
	}
	return &pastEdition{of, period, answer}, nil
}

// isNewer is the order of a history: newest first, and those of one day by their charts.
func isNewer(one, other object) bool {
	if from, others := textOf(one, "from"), textOf(other, "from"); from != others {
		return from > others
	}
	return textOf(one, "chart") < textOf(other, "chart")
}

// historyAnswers is what remains if a history was asked for: steps 8 to 12.
func (f *facts) historyAnswers(body, what object, runs []*timelineRun, items []*pastEdition, v *verdict) error {
	asked := onAnyDay(what)
	q := parseQuestion(asked)
	if q == nil {
		return reason("question_malformed")
	}
	names, err := f.chartsFor(q)
	if err != nil {
		return err
	}
	if !answersOffset(body, what) {
		return errAnother
	}
	for _, each := range items {
		if !oneOf(names...)(each.period["chart"]) {
			return errAnother
		}
	}
	before, whole := f.tellsAll(body, names, runs, items)
	if !whole {
		return reason("releases_left_out")
	}
	v.page["before"] = before
	for i, each := range items {
		asked["as_of"] = each.period["from"]
		if q.npi == "" && q.basis == "" {
			asked["basis"] = chartOf(textOf(each.period, "chart")).bases[0]
		}
		d, err := f.checkAnswers(each.answer, asked)
		if err != nil {
			return at(i, err)
		}
		v.decisions = append(v.decisions, d)
	}
	return nil
}

// onAnyDay is the question of a history as one of a lookup. With a day of its own it has no meaning.
func onAnyDay(what object) object {
	if has(what, "as_of") {
		return object{}
	}
	question := without(what, "offset")
	question["as_of"] = "2000-01-01"
	return question
}

// chartsFor are the charts that may answer, in order. With an NPI it is the one that speaks for the provider.
func (f *facts) chartsFor(q *question) (names []string, err error) {
	defer catchNotTold(&err)
	if q.npi == "" {
		return q.schedules, nil
	}
	own := f.askProvider(q.npi)
	if own == "" {
		return nil, errAnother
	}
	return []string{own}, nil
}

// tellsAll: no edition of the charts was left out, and the page says truly whether there is more. Also the period before
// the page, or nil.
func (f *facts) tellsAll(body object, names []string, runs []*timelineRun, items []*pastEdition) (before any, whole bool) {
	if f.periods.size == 0 {
		names = nil
	}
	if len(runs) != len(names) {
		return nil, false
	}
	var all []object
	for i, name := range names {
		if !runs[i].isAllOf(name, f) {
			return nil, false
		}
		for _, period := range runs[i].periods {
			if period["chart"] == name {
				all = append(all, period)
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return isNewer(all[i], all[j]) })
	offset := numberOf(body["page"], "offset")
	if 0 < offset && offset <= int64(len(all)) {
		before = all[offset-1]
	}
	if offset > int64(len(all)) {
		offset = int64(len(all))
	}
	rest := all[offset:]
	if len(items) > len(rest) {
		return nil, false
	}
	for i, each := range items {
		if periodKey(each.period) != periodKey(rest[i]) {
			return nil, false
		}
	}
	more := len(rest) > len(items)
	return before, more != isLastPage(body) && !(more && len(items) == 0)
}

// isAllOf: the run reaches past the periods of a chart on either side, or to the end of the timeline.
func (r *timelineRun) isAllOf(name string, f *facts) bool {
	first, last := r.periods[0], r.periods[len(r.periods)-1]
	return (r.beginsAtFirst() || periodKey(first) < name+"|") &&
		(r.endsAtLast(f) || last["chart"] != name && periodKey(last) > name+"|")
}
