package main

import "strings"

// A place, by lookup.md, "The place". What it does not have is empty.
type place struct {
	region  string // national or a locality
	state   string // two letters
	area    string // a former bidding area
	split   bool   // the ZIP code lies in several localities
	notHeld bool   // no edition places ZIP codes on the day
	unknown bool   // the ZIP code is in none of its rows
	rural   bool   // equipment has the prices of rural areas
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
	case isBiddingArea(q.region):
		return place{area: q.region}
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
	row := of.askRow(q.zip+"|", q.day)
	if row == nil {
		return place{unknown: true, of: of}
	}
	if q.plusFour != "" && (row["region"] == nil || row["state"] == nil) {
		if part := of.askNotAfter(q.zip+"|"+q.plusFour+".", q.day); isPartWith(part, q) {
			row = part
		}
	}
	return place{
		region: textOf(row, "region"),
		state:  textOf(row, "state"),
		area:   textOf(row, "bidding_area"),
		split:  row["region"] == nil,
		rural:  row["rural"] == true,
		by:     row,
		of:     of,
	}
}

// isPartWith: a row that begins not after the last four digits asked for is a part of the ZIP code, and ends not before them.
func isPartWith(row object, q *question) bool {
	_, to, ranged := strings.Cut(textOf(row, "plus_four"), "-")
	return ranged && textOf(row, "zip") == q.zip && q.plusFour <= to
}
