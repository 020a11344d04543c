package main

import "strings"

// A look is into one schedule, for one question.
type look struct {
	q     *question
	where place
	of    *release
	c     *chart
}

func (l *look) inSchedule(modifier string) finding {
	found := l.with(modifier)
	if modifier == "" || found.what == price || found.what == absence || found.what == ambiguous {
		return found
	}
	found = l.with("")
	if found.what == price || found.what == ambiguous {
		return finding{what: unpriced}
	}
	return found
}

// region is that of the rows, or empty if there is none.
func (l *look) region() string {
	switch {
	case l.c.by == "nation":
		return "national"
	case l.where.split:
		return ""
	case l.where.region == "national":
		return "national"
	case l.c.by == "state":
		return l.where.region[:len("US-XX")]
	case isLocality(l.where.region):
		return l.where.region
	}
	return ""
}

func (l *look) row(region, modifier, setting string) object {
	return l.of.askRow(strings.Join([]string{l.q.cpt, region, "", modifier, l.c.bases[0], setting, ""}, "|"), l.q.day)
}

// status is the absence that stands for all of the nation, if there is one.
func (l *look) status(modifier string) object {
	if oneOf(l.c.settings...)("") {
		return nil
	}
	if row := l.row("national", modifier, ""); row != nil && !has(row, "price") {
		return row
	}
	return nil
}

// with is a look with one modifier; an empty one is null.
func (l *look) with(modifier string) finding {
	region, asked := l.region(), false
	if region == "" {
		asked = true
		if status := l.status(modifier); status != nil {
			return finding{absence, status}
		}
		if !l.where.split {
			regions := l.of.askRegions(l.q.cpt + "|" + l.where.region[:len("US-XX")] + "-")
			if len(regions) > 1 {
				return finding{what: ambiguous}
			}
			if len(regions) == 1 {
				region = regions[0]
			}
		}
	}
	var remembered object
	for _, setting := range settingsTried(l.c, l.q.setting) {
		if region != "" {
			if row := l.row(region, modifier, setting); row != nil {
				if has(row, "price") {
					return finding{price, row}
				}
				if remembered == nil {
					remembered = row
				}
				continue
			}
		}
		if !asked {
			asked = true
			if status := l.status(modifier); status != nil {
				return finding{absence, status}
			}
		}
		if region == "national" || l.c.by == "nation" {
			continue
		}
		if row := l.row("national", modifier, setting); row != nil {
			if has(row, "price") {
				if l.where.split {
					return finding{what: ambiguous}
				}
				return finding{what: notCovering}
			}
			if remembered == nil {
				remembered = row
			}
		}
	}
	if remembered != nil {
		return finding{absence, remembered}
	}
	if modifier != "" || region == "" {
		return finding{}
	}
	start := l.q.cpt + "|" + region + "||"
	if l.of.askAny(start + "|") {
		return finding{}
	}
	if l.of.askAny(start) {
		return finding{what: unpriced}
	}
	if region == "national" && l.c.by != "nation" && l.of.askAny(l.q.cpt+"|US-") {
		return finding{what: ambiguous}
	}
	return finding{}
}
