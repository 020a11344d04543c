package main

import (
	"sort"
	"strings"
)

// A question has the members of a lookup, each a text or missing. Below, an empty text stands for what is missing; a
// question that has one asks for what no row has.
func isQuestion(asked object) bool {
	for _, value := range asked {
		if value == "" {
			return false
		}
	}
	return true
}

func inForce(p *proved, asked object) bool {
	day := textOf(asked, "as_of")
	return day == "" || day >= textOf(p.release, "effective_from")
}

func askedCode(asked object) string { return strings.TrimSpace(upperOf(asked, "cpt")) }

func upperOf(value object, name string) string { return strings.ToUpper(textOf(value, name)) }

// askedModifier: a question may name modifiers in any order, a key has them sorted.
func askedModifier(asked object) string {
	parts := strings.Split(upperOf(asked, "modifier"), "-")
	sort.Strings(parts)
	return strings.Join(parts, "-")
}

var isHospitals = oneOf("inpatient", "outpatient")

// mayBeBoth: a hospital's price without a setting is for both of its settings, and answers for either.
func mayBeBoth(asked object) bool {
	return textOf(asked, "npi") != "" && isHospitals(asked["setting"])
}

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
		upperOf(row, "modifier") == askedModifier(asked) &&
		(stated || same("basis") && (same("setting") || textOf(row, "setting") == "" && mayBeBoth(asked)))
}

// rowFits is for pages, where what is not asked for is not restricted.
func rowFits(row, asked object) bool {
	for _, name := range keyParts {
		want, is := textOf(asked, name), textOf(row, name)
		if name == "cpt" || name == "region" || name == "modifier" {
			want, is = strings.ToUpper(want), strings.ToUpper(is)
		}
		if name == "modifier" {
			want = askedModifier(asked)
		}
		if want != "" && want != is && !(name == "region" && inState(is, want)) {
			return false
		}
	}
	return true
}

var onlyBasis = map[string]string{"cms-pfs": "medicare_pfs", "cms-clfs": "medicare_clfs", "cms-opps": "medicare_opps"}

// absencesAnswer: each covers the question, or, where a hospital's price for both settings would answer too, together
// they leave no room for any key that could.
func absencesAnswer(found []*proved, asked object) bool {
	each := true
	for _, p := range found {
		each = each && inForce(p, asked) && absenceAnswers(p, asked)
	}
	if each {
		return true
	}
	region := askedRegion(asked)
	if region == "NATIONAL" {
		region = "national"
	}
	if !mayBeBoth(asked) || !isRegion(region) {
		return false
	}
	bases := []string{textOf(asked, "basis")}
	if bases[0] == "" {
		bases = []string{"hospital_cash", "hospital_gross", "hospital_negotiated_low", "hospital_negotiated_high"}
	}
	for _, p := range found {
		isOf := inForce(p, asked) && strings.HasPrefix(textOf(p.release, "chart"), "hospital-mrf:") &&
			codeOf(p.prefix) == askedCode(asked)
		if !isOf {
			return false
		}
	}
	for _, basis := range bases {
		for _, setting := range []string{"", textOf(asked, "setting")} {
			key := strings.Join([]string{askedCode(asked), region, textOf(asked, "npi"), askedModifier(asked), basis, setting}, "|")
			enclosed := false
			for _, p := range found {
				enclosed = enclosed || (p.left == "" || p.left < key) && (p.right == "" || p.right > key)
			}
			if !enclosed {
				return false
			}
		}
	}
	return true
}

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
			if keyParts[i] == "modifier" {
				ok = part == askedModifier(asked)
			}
		case "region":
			is := strings.ToUpper(part)
			ok = is == region || inState(is, region)
		case "basis":
			ok = part == want || want == "" && part == onlyBasis[chart]
		case "setting":
			// An empty last part leaves the setting open: no key begins with what stands before it.
			ok = part == "" || part == want && !mayBeBoth(asked)
		}
		if !ok {
			return false
		}
	}
	return true
}
