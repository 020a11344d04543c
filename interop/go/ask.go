package main

// What the rule may ask (lookup.md). Where the leaves that were proved do not tell, the rule is left by a panic with
// notTold, which catchNotTold turns into its reason.
var notTold = reason("choice_not_proved")

func catchNotTold(err *error) {
	if said := recover(); said != nil {
		if said != notTold {
			panic(said)
		}
		*err = notTold
	}
}

// edition is the release of a chart on a day, or nil if there is none; told says whether this is proved.
func (f *facts) edition(chart, day string) (of *release, told bool) {
	for _, each := range f.periods.knownUnder(chart + "|") {
		if textOf(each.value, "from") <= day && day <= textOf(each.value, "to") {
			of = f.releases[textOf(each.value, "release")]
			return of, of != nil
		}
	}
	_, told = f.periods.notAfter(chart + "|" + day)
	return nil, told
}

func (f *facts) askEdition(chart, day string) *release {
	of, told := f.edition(chart, day)
	if !told {
		panic(notTold)
	}
	return of
}

// askProvider is the chart that speaks for an NPI, or nothing.
func (f *facts) askProvider(npi string) string {
	if known := f.providers.knownUnder(npi + "|"); len(known) > 0 {
		return textOf(known[0].value, "chart")
	}
	if _, told := f.providers.notAfter(npi + "|"); !told {
		panic(notTold)
	}
	return ""
}

// askRow is the row with a key, or nil. One that begins after the day counts as not there.
func (r *release) askRow(key, day string) object {
	if one := r.rows.with(key); one != nil {
		if textOf(one.value, "effective_from") > day {
			return nil
		}
		return one.value
	}
	if _, told := r.rows.notAfter(key); !told {
		panic(notTold)
	}
	return nil
}

// askNotAfter is the last row not after a key, or nil. One that begins after the day counts as not there.
func (r *release) askNotAfter(key, day string) object {
	last, told := r.rows.notAfter(key)
	if !told {
		panic(notTold)
	}
	if last == nil || textOf(last.value, "effective_from") > day {
		return nil
	}
	return last.value
}

func (r *release) askUnder(prefix string) []leaf {
	found, told := r.rows.under(prefix)
	if !told {
		panic(notTold)
	}
	return found
}

// askRegions are the regions of the rows under a prefix. Where two are known, there are several, whatever else there is.
func (r *release) askRegions(prefix string) []string {
	found, told := r.rows.under(prefix)
	if !told {
		found = r.rows.knownUnder(prefix)
	}
	var regions []string
	for _, each := range found {
		// Keys are sorted, so equal regions stand together: they follow the code.
		if region := textOf(each.value, "region"); len(regions) == 0 || regions[len(regions)-1] != region {
			regions = append(regions, region)
		}
	}
	if !told && len(regions) < 2 {
		panic(notTold)
	}
	return regions
}

func (r *release) askAny(prefix string) bool { return len(r.askRegions(prefix)) > 0 }
