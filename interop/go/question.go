package main

import "strings"

// checkAnswers compares what was proved with what was asked: the members of a lookup, each a text or missing.
func checkAnswers(found []*proved, isPage bool, asked object) error {
	// Below, an empty text stands for what is missing; a question that has one asks for what no row has.
	for _, value := range asked {
		if value == "" {
			return reason("answers_another_question")
		}
	}
	for _, each := range found {
		var ok bool
		switch {
		case each.what == "entry":
			ok = false
		case !inForce(each, asked):
			ok = false
		case each.what == "absence":
			ok = absenceAnswers(each, asked)
		case isPage:
			ok = rowFits(each.row, asked)
		default:
			ok = rowAnswers(each.row, asked)
		}
		if !ok {
			return reason("answers_another_question")
		}
	}
	return nil
}

func inForce(p *proved, asked object) bool {
	day := textOf(asked, "as_of")
	return day == "" || day >= textOf(p.release, "effective_from")
}

func upperOf(value object, name string) string { return strings.ToUpper(textOf(value, name)) }

func askedRegion(asked object) string {
	if region := upperOf(asked, "region"); region != "" {
		return region
	}
	return "NATIONAL"
}

var isState = matching(`US-[A-Z]{2}`)

// inState: the region lies in the state asked for.
func inState(region, asked string) bool {
	return isState(asked) && strings.HasPrefix(region, asked+"-")
}

func rowAnswers(row, asked object) bool {
	stated := textOf(row, "kind") == "absence"
	region, want := upperOf(row, "region"), askedRegion(asked)
	same := func(name string) bool { return textOf(asked, name) == "" || textOf(row, name) == textOf(asked, name) }
	return upperOf(row, "cpt") == upperOf(asked, "cpt") &&
		(region == want || inState(region, want) || stated && region == "NATIONAL") &&
		textOf(row, "npi") == textOf(asked, "npi") &&
		upperOf(row, "modifier") == upperOf(asked, "modifier") &&
		(stated || same("basis") && same("setting"))
}

// rowFits is for pages, where what is not asked for is not restricted.
func rowFits(row, asked object) bool {
	for _, name := range keyParts {
		want, is := textOf(asked, name), textOf(row, name)
		if name == "cpt" || name == "region" || name == "modifier" {
			want, is = strings.ToUpper(want), strings.ToUpper(is)
		}
		if want != "" && want != is && !(name == "region" && inState(is, want)) {
			return false
		}
	}
	return true
}

var onlyBasis = map[string]string{"cms-pfs": "medicare_pfs", "cms-clfs": "medicare_clfs"}

func absenceAnswers(p *proved, asked object) bool {
	chart := textOf(p.release, "chart")
	if strings.HasPrefix(chart, "hospital-mrf:") != (textOf(asked, "npi") != "") {
		return false
	}
	parts, state, _ := wholeParts(p.prefix)
	region := askedRegion(asked)
	// US-CA- covers both US-CA and US-CA-05.
	if state != "" && !strings.HasPrefix(region+"-", state) {
		return false
	}
	for i, part := range parts {
		want := textOf(asked, keyParts[i])
		ok := part == want
		switch keyParts[i] {
		case "cpt", "modifier":
			ok = part == strings.ToUpper(want)
		case "region":
			is := strings.ToUpper(part)
			ok = is == region || inState(is, region)
		case "basis":
			ok = part == want || want == "" && part == onlyBasis[chart]
		case "setting":
			// An empty last part leaves the setting open: no key begins with what stands before it.
			ok = part == "" || part == want
		}
		if !ok {
			return false
		}
	}
	return true
}
