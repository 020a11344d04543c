package main

import "strings"

// A place, by lookup.md, "The place". What it does not have is empty.
type place struct {
	region  string // national or a locality
	state   string // two letters
	split   bool   // the ZIP code lies in several localities
	notHeld bool   // no edition places ZIP codes on the day
	unknown bool   // the ZIP code is in none of its rows
	by      object
	of      *release // in which it was found
}

// divided states have several localities, so that one that is known is not the only one there can be.
var isDivided = oneOf(strings.Fields("CA FL GA IL LA MA MD ME MI MO NJ NY OR PA TX WA")...)

// localitiesOf is the prefix of the localities of a state; those of three territories are Hawaii's.
func localitiesOf(state string) string {
	switch state {
	case "GU", "AS", "MP":
		state = "HI"
	}
	return "US-" + state + "-"
}

// place is where the question was asked for, if the schedules may answer.
func (f *facts) place(q *question, schedules []string) place {
	switch {
	case q.region == "national":
		return place{region: q.region}
	case isLocality(q.region):
		return place{region: q.region, state: q.region[3:5]}
	case q.zip == "":
		return place{state: q.region[3:5]}
	}
	nationally := true
	for _, name := range schedules {
		nationally = nationally && charts[name].by == "nation"
	}
	if nationally {
		return place{region: "national"}
	}
	of := f.askEdition(placeChart, q.day)
	if of == nil {
		return place{notHeld: true}
	}
	whole := of.askRow(q.zip+"|", q.day)
	if textOf(whole, "region") != "" {
		return placeBy(whole, of)
	}
	var rows []object
	for _, each := range of.askUnder(q.zip + "|") {
		if textOf(each.value, "effective_from") <= q.day {
			rows = append(rows, each.value)
		}
	}
	if len(rows) == 0 {
		return place{unknown: true, of: of}
	}
	if part := holding(rows, q.plusFour); textOf(part, "region") != "" {
		return placeBy(part, of)
	}
	state, _ := common(rows, "state")
	if four, one := common(rows, "plus_four"); one && four == "" { // its own row alone, which names one of its states
		state = ""
	}
	if region, one := common(rows, "region"); one && region != "" {
		return place{region: region, state: state, by: rows[0], of: of}
	}
	return place{state: state, split: true, by: whole, of: of}
}

func placeBy(row object, of *release) place {
	return place{region: textOf(row, "region"), state: textOf(row, "state"), by: row, of: of}
}

// holding is the first row whose ends hold the last four digits, or nil.
func holding(rows []object, plusFour string) object {
	if plusFour == "" {
		return nil
	}
	for _, row := range rows {
		from, to, ranged := strings.Cut(textOf(row, "plus_four"), "-")
		if ranged && from <= plusFour && plusFour <= to {
			return row
		}
	}
	return nil
}

// common is what a member is in all rows, of which there is one at least; nothing if they differ.
func common(rows []object, name string) (value string, one bool) {
	value = textOf(rows[0], name)
	for _, row := range rows {
		if textOf(row, name) != value {
			return "", false
		}
	}
	return value, true
}
