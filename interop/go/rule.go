package main

import "strings"

// A decision is what the rule comes to.
type decision struct {
	name       string
	row        object   // of price, absent and modifier_not_allowed
	of         *release // the edition in which the rule found it
	charts     []string // of no_edition
	ignored    []string
	adjustment object
	place      object   // the row by which the place is known, if there is one
	placeOf    *release // the edition that places ZIP codes on the day, if it was asked
}

// What one look finds.
const (
	nothing = iota
	price
	absence
	ambiguous
	notCovering
	unpriced
)

type finding struct {
	what int
	row  object
}

// decide runs the rule of lookup.md on the leaves that were proved.
func (f *facts) decide(q *question) (d *decision, err error) {
	if f.state == nil {
		return nil, notTold
	}
	defer catchNotTold(&err)
	if q.npi != "" {
		return f.hospitalRule(q), nil
	}
	where := f.place(q, q.schedules)
	d = f.scheduleRule(q, where)
	d.place, d.placeOf = where.by, where.of
	return d, nil
}

// scheduleRule is lookup.md, "The schedules".
func (f *facts) scheduleRule(q *question, where place) *decision {
	if where.unknown {
		return &decision{name: "unknown_zip"}
	}
	neutral, adjusts, modifier := sortModifiers(q.modifiers)
	var notHeld []string
	var stated, first *decision // absences: the first for a reason of its own, the first of all
	missing, noPrice := false, false
	for _, name := range q.schedules {
		of := f.askEdition(name, q.day)
		if of == nil {
			notHeld = append(notHeld, name)
			continue
		}
		if where.notHeld && charts[name].by != "nation" {
			if !oneOf(notHeld...)(placeChart) {
				notHeld = append(notHeld, placeChart)
			}
			continue
		}
		found := newLook(q, where, name, of).inSchedule(modifier)
		switch found.what {
		case price:
			d := &decision{name: "price", row: found.row, of: of, ignored: neutral}
			if adjusts != "" {
				if d.adjustment = adjustment(adjusts, found.row); d.adjustment == nil {
					d.name = "modifier_not_allowed"
				}
			}
			return d
		case ambiguous:
			return &decision{name: "region_ambiguous"}
		case absence:
			d := &decision{name: "absent", row: found.row, of: of}
			if first == nil {
				first = d
			}
			if stated == nil && !isWeakReason(found.row["reason"]) {
				stated = d
			}
		case notCovering:
			missing = true
		case unpriced:
			noPrice = true
		}
	}
	switch {
	case noPrice:
		return &decision{name: "modifier_not_priced"}
	case stated != nil:
		return stated
	case missing:
		return &decision{name: "region_not_covered"}
	case len(notHeld) > 0:
		return &decision{name: "no_edition", charts: notHeld}
	case first != nil:
		return first
	}
	return &decision{name: "not_on_schedule"}
}

var isWeakReason = oneOf("paid_elsewhere", "not_valid", "no_price_stated")

// hospitalRule is lookup.md, "A hospital's own file".
func (f *facts) hospitalRule(q *question) *decision {
	name := f.askProvider(q.npi)
	if name == "" {
		return &decision{name: "unknown_provider"}
	}
	of := f.askEdition(name, q.day)
	if of == nil {
		return &decision{name: "no_edition", charts: []string{name}}
	}
	second := bothSides(q.modifiers)
	neutral := []string{}
	for _, each := range second {
		if isNeutral(each) {
			neutral = append(neutral, each)
		}
	}
	list := [][]string{q.modifiers}
	isListed := map[string]bool{strings.Join(q.modifiers, "-"): true}
	add := func(tried []string) {
		if text := strings.Join(tried, "-"); !isListed[text] {
			isListed[text] = true
			list = append(list, tried)
		}
	}
	add(second)
	for i := 0; i < len(list); i++ {
		if d := hospitalLook(q, of, strings.Join(list[i], "-")); d != nil {
			if d.name == "price" {
				d.ignored = leaveOut(neutral, list[i])
			}
			return d
		}
		for _, each := range neutral {
			add(leaveOut(list[i], []string{each}))
		}
	}
	start := q.cpt + "|national|" + q.npi + "|"
	if len(q.modifiers) == 0 && of.askAny(start+"|") {
		return &decision{name: "not_on_schedule"}
	}
	if of.askAny(start) {
		return &decision{name: "modifier_not_priced"}
	}
	return &decision{name: "not_on_schedule"}
}

// leaveOut is a list without some of its members.
func leaveOut(list, some []string) []string {
	left := []string{}
	for _, each := range list {
		if !oneOf(some...)(each) {
			left = append(left, each)
		}
	}
	return left
}

// hospitalLook is nil if there is neither a price nor a stated absence with these modifiers.
func hospitalLook(q *question, of *release, modifier string) *decision {
	inBases, inSettings := hospitalBases, hospital.settings
	if q.basis != "" {
		inBases = []string{q.basis}
	}
	if q.setting != "" {
		inSettings = []string{q.setting, ""}
	}
	var remembered *decision
	for _, basis := range inBases {
		for _, setting := range inSettings {
			for _, class := range []string{"facility", "", "professional"} {
				row := of.askRow(strings.Join([]string{q.cpt, "national", q.npi, modifier, basis, setting, class}, "|"), q.day)
				if row == nil {
					continue
				}
				if has(row, "price") {
					return &decision{name: "price", row: row, of: of}
				}
				if remembered == nil {
					remembered = &decision{name: "absent", row: row, of: of}
				}
			}
		}
	}
	return remembered
}
