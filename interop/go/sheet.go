package main

import "sort"

var (
	sheetMembers = []string{"data", "because", "releases", "state", "log", "not_held", "place", "as_of", "sources_lost"}
	sheetParts   = []string{"cpt", "as_of", "region", "npi"}
	isNotHeld    = listOf(64, isChart)
)

const mostSheetRows = 2000

// addSheet is proof.md, "Sheets": everything in force for a code at a place and day.
func (f *facts) addSheet(body, what object, v *verdict) error {
	data := body["data"].([]any)
	if !onlyAmong(body, sheetMembers) || !tellsLost(body) || len(data) > mostSheetRows || !isNotHeld(body["not_held"]) || !isDay(body["as_of"]) {
		return reason("not_recognised")
	}
	shared, err := f.addList(body, 64)
	if err != nil {
		return err
	}
	var rows []*cited
	for i, item := range data {
		one, err := shared.take(item)
		if err != nil {
			return at(i, err)
		}
		rows = append(rows, one)
	}
	var where *cited
	if shown, there := body["place"]; there {
		if where, err = shared.takePlace(shown); err != nil {
			return err
		}
	}
	if err := shared.takeBecause(body["because"]); err != nil {
		return err
	}
	if err := shared.prove(); err != nil {
		return err
	}
	if len(rows) == 0 {
		return reason("nothing_proved")
	}
	for _, each := range rows {
		v.rows = append(v.rows, provedRow{each.row, each.of.manifest})
	}
	if what == nil {
		return nil
	}
	q := parseQuestion(what)
	if q == nil || !onlyAmong(what, sheetParts) {
		return reason("question_malformed")
	}
	s, err := f.sheetFor(q)
	if err != nil {
		return err
	}
	if s.refused || body["as_of"] != q.day || !same(body["not_held"], s.notHeld) || len(rows) != len(s.rows) ||
		where != nil && (s.where.by == nil || !where.is(s.where.by, s.where.of)) {
		return errAnother
	}
	for i, each := range rows {
		if !each.is(s.rows[i].row, s.rows[i].of) {
			return errAnother
		}
	}
	return nil
}

// A sheet is what the rule of lookup.md, "Sheets", comes to: these rows, or a refusal.
type sheet struct {
	refused bool
	where   place
	notHeld []any
	rows    []*cited
}

// sheetFor runs that rule on the leaves that were proved.
func (f *facts) sheetFor(q *question) (s *sheet, err error) {
	defer catchNotTold(&err)
	s = &sheet{notHeld: []any{}}
	own := ""
	if q.npi != "" {
		if own = f.askProvider(q.npi); own == "" {
			s.refused = true
			return s, nil
		}
	}
	s.where = f.place(q, schedulesFor("", ""))
	if s.where.unknown || s.where.notHeld || s.where.split || s.where.region != "national" && s.where.state == "" {
		s.refused = true
		return s, nil
	}
	for _, name := range sheetCharts(own) {
		of := f.askEdition(name, q.day)
		if of == nil {
			s.notHeld = append(s.notHeld, name)
			continue
		}
		for _, prefix := range sheetPrefixes(q, s.where, name) {
			for _, each := range of.askUnder(prefix) {
				s.rows = append(s.rows, &cited{row: each.value, of: of})
			}
		}
	}
	return s, nil
}

// sheetCharts are all schedules in the order of their names, and then the hospital's own.
func sheetCharts(own string) []string {
	var names []string
	for name := range charts {
		names = append(names, name)
	}
	sort.Strings(names)
	if own != "" {
		names = append(names, own)
	}
	return names
}

func sheetPrefixes(q *question, where place, name string) []string {
	start, c := codeIn(name, q.cpt)+"|", chartOf(name)
	nationally := start + "national|"
	switch {
	case c == hospital:
		return []string{nationally + q.npi + "|"}
	case c.by == "nation" || where.region == "national":
		return []string{nationally}
	case c.by == "state" && where.area != "":
		return []string{start + where.area + "|", start + "US-" + where.state + "|", nationally}
	case c.by == "state":
		return []string{start + "US-" + where.state + "|", nationally}
	case where.region != "":
		return []string{start + where.region + "|", nationally}
	}
	return []string{start + localitiesOf(where.state), nationally}
}
