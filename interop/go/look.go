package main

import "strings"

// A look is into one schedule, for one question.
type look struct {
	q     *question
	where place
	of    *release
	c     *chart
	cpt   string // as it stands in the keys of the chart
}

func newLook(q *question, where place, name string, of *release) *look {
	return &look{q: q, where: where, of: of, c: charts[name], cpt: codeIn(name, q.cpt)}
}

// inSchedule is lookup.md, "In a schedule", with the modifier of the key.
func (l *look) inSchedule(modifier string) finding {
	if found := l.with(modifier); found.what != nothing {
		return found
	}
	if modifier != "" {
		switch found := l.with(""); found.what {
		case price, ambiguous:
			return finding{what: unpriced}
		case absence, notCovering:
			return found
		}
	}
	return l.whatElse(modifier)
}

// region is that of the rows, or empty if there is none.
func (l *look) region() string {
	switch {
	case l.c.by == "nation" || l.where.region == "national":
		return "national"
	case l.c.by == "locality":
		return l.where.region
	case l.where.state == "":
		return ""
	}
	return "US-" + l.where.state
}

func (l *look) row(region, modifier, setting string) object {
	return l.of.askRow(strings.Join([]string{l.cpt, region, "", modifier, l.c.bases[0], setting, ""}, "|"), l.q.day)
}

// status is the absence that stands for all of the nation and all settings, if there is one.
func (l *look) status(modifier string) object {
	if oneOf(l.c.settings...)("") {
		return nil
	}
	if row := l.row("national", modifier, ""); row != nil && !has(row, "price") {
		return row
	}
	return nil
}

// mayHave: several localities may have the code with this modifier. Where it has a national row at all, it must have one
// with the modifier.
func (l *look) mayHave(modifier string) bool {
	nationally := l.cpt + "|national|"
	return l.of.askAny(nationally+"|"+modifier+"|") || !l.of.askAny(nationally)
}

// isOpen: with such an absence another setting may still have a price.
var isOpen = oneOf("not_applicable_in_setting", "no_price_stated")

// with is lookup.md, "With one modifier"; an empty one is null.
func (l *look) with(modifier string) finding {
	missing := settingsTried(l.c, l.q.setting, l.where)
	if l.where.area != "" && l.q.setting != "rural" && oneOf(missing...)("non_rural") {
		switch row := l.row(l.where.area, modifier, "non_rural"); {
		case row != nil && has(row, "price"):
			return finding{price, row}
		case row != nil:
			return finding{absence, row}
		}
	}
	region, asked := l.region(), false
	if region == "" {
		asked = true
		if status := l.status(modifier); status != nil {
			return finding{absence, status}
		}
		if l.c.by == "locality" && l.where.state != "" && !l.where.split {
			regions := l.of.askRegions(l.cpt + "|" + localitiesOf(l.where.state))
			switch {
			case len(regions) == 0:
			case len(regions) == 1 && !isDivided(l.where.state):
				region = regions[0]
			case l.mayHave(modifier):
				return finding{what: ambiguous}
			}
		}
	}
	var remembered object
	if region != "" {
		var found finding
		if found, missing = l.inRegion(region, modifier, missing, &remembered); found.what != nothing {
			return found
		}
	}
	if !asked && (len(missing) > 0 || remembered == nil) {
		if status := l.status(modifier); status != nil {
			return finding{absence, status}
		}
	}
	if region != "national" { // it is in a chart that speaks nationally
		found, _ := l.inRegion("national", modifier, missing, &remembered)
		switch {
		case found.what == price && l.where.split:
			return finding{what: ambiguous}
		case found.what == price:
			return finding{what: notCovering}
		case found.what != nothing:
			return found
		}
	}
	if remembered != nil {
		return finding{absence, remembered}
	}
	return finding{}
}

// inRegion asks for the rows of one region, a setting after the other, up to one that decides. Of the absences that do
// not decide the first is remembered; missing are the settings without a row.
func (l *look) inRegion(region, modifier string, settings []string, remembered *object) (found finding, missing []string) {
	for _, setting := range settings {
		row := l.row(region, modifier, setting)
		switch {
		case row == nil:
			missing = append(missing, setting)
		case has(row, "price"):
			return finding{price, row}, nil
		case !isOpen(row["reason"]):
			return finding{absence, row}, nil
		case *remembered == nil:
			*remembered = row
		}
	}
	return finding{}, missing
}

// whatElse is lookup.md, "What else there is", where the schedule does not have the code as asked.
func (l *look) whatElse(modifier string) finding {
	region := l.region()
	regions := []string{"national"}
	if region != "" && region != "national" {
		regions = []string{region, "national"}
	}
	anyUnder := func(rest string) bool {
		for _, each := range regions {
			if l.of.askAny(l.cpt + "|" + each + rest) {
				return true
			}
		}
		return false
	}
	switch {
	case modifier == "" && anyUnder("|||"):
		return finding{} // it has other settings only
	case anyUnder("||"):
		return finding{what: unpriced} // it has other modifiers only
	case l.c.by == "nation" || !l.of.askAny(l.cpt+"|US-"):
		return finding{}
	case region == "national" || region == "" && (l.where.split || l.where.state == ""):
		return finding{what: ambiguous}
	}
	return finding{what: notCovering} // it has prices for other places only
}
