package main

// checkAnswers: whether what a body shows is the answer to the question, by the facts.
func (f *facts) checkAnswers(a *answer, asked object) (*decision, error) {
	q := parseQuestion(asked)
	if q == nil {
		return nil, reason("question_malformed")
	}
	if a.own != nil && a.own.inForce == nil {
		return nil, reason("release_not_in_force")
	}
	d, err := f.decide(q)
	if err != nil {
		return nil, err
	}
	if !a.looksLike(d) || a.last != nil && !f.isLastKnown(a.last, q) {
		return nil, reason("answers_another_question")
	}
	return d, nil
}

// looksLike: the body is the one of the decision.
func (a *answer) looksLike(d *decision) bool {
	code := d.name
	switch d.name {
	case "price":
		code = ""
	case "absent":
		code = "absent_" + textOf(d.row, "reason")
	case "no_edition":
		code = "no_edition_for_day"
	}
	if a.refusal != (code != "") || a.refusal && a.body["code"] != code {
		return false
	}
	if (a.own != nil) != (d.row != nil) {
		return false
	}
	if d.row != nil && !a.own.is(d.row, d.of) {
		return false
	}
	if a.place != nil && (d.place == nil || !a.place.is(d.place, d.placeOf)) {
		return false
	}
	switch d.name {
	case "price":
		return a.hasExtras(d)
	case "no_edition":
		return namesCharts(a.body["charts"], d.charts)
	}
	return true
}

// hasExtras: the modifiers ignored and the adjustment of a price.
func (a *answer) hasExtras(d *decision) bool {
	ignored := []any{}
	for _, each := range d.ignored {
		ignored = append(ignored, each)
	}
	given := a.body["modifiers_ignored"]
	if given == nil {
		given = []any{}
	}
	if !same(given, ignored) {
		return false
	}
	if d.adjustment == nil {
		return a.body["adjustment"] == nil
	}
	return same(a.body["adjustment"], d.adjustment)
}

func namesCharts(value any, wanted []string) bool {
	items, ok := value.([]any)
	if !ok || len(items) != len(wanted) {
		return false
	}
	for i, item := range items {
		entry, ok := item.(object)
		if !ok || entry["chart"] != wanted[i] {
			return false
		}
	}
	return true
}

// isLastKnown: the same question was answered with this row at the end of the last period of its chart.
func (f *facts) isLastKnown(last *cited, q *question) bool {
	if last.inForce == nil {
		return false
	}
	period := last.inForce["period"].(object)
	chart, from, to := textOf(period, "chart"), textOf(period, "from"), textOf(period, "to")
	if to >= q.day {
		return false
	}
	latest, told := f.periods.notAfter(chart + "|" + q.day)
	if !told || latest == nil || latest.key != chart+"|"+from {
		return false
	}
	before := *q
	before.day = to
	d, err := f.decide(&before)
	return err == nil && d.name == "price" && last.is(d.row, d.of)
}

// is: it is this row, of this edition. The same row may stand in two.
func (c *cited) is(row object, of *release) bool {
	return same(c.row, row) && same(c.of.manifest, of.manifest)
}
