package main

import (
	"sort"
	"strings"
)

// A question as a lookup understands it. What was not asked for is empty.
type question struct {
	cpt, day, npi, setting, basis string
	zip, plusFour                 string // of a ZIP code
	region                        string // of any other region, spelled as in a row
	modifiers                     []string
	schedules                     []string // without npi
}

var (
	questionParts = []string{"cpt", "as_of", "region", "npi", "modifier", "setting", "basis"}
	isAskedRegion = matching(`[Nn][Aa][Tt][Ii][Oo][Nn][Aa][Ll]|[A-Za-z]{2}|[Uu][Ss]-[A-Za-z]{2}(-[0-9]{2})?|` +
		`([Zz][Ii][Pp]-)?[0-9]{5}(-[0-9]{4})?|[Cc][Bb][Aa]-[0-9A-Fa-f]{8}`)
	isStateName = oneOf(strings.Fields(`AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT
		NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY PR VI GU AS MP`)...)
)

// capitals changes a to z and nothing else.
func capitals(text string) string {
	return strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' {
			return c - 'a' + 'A'
		}
		return c
	}, text)
}

func spelledCode(text string) string { return capitals(strings.Trim(text, " ")) }

// parseQuestion is nil for one that has no meaning.
func parseQuestion(asked object) *question {
	for name, value := range asked {
		if !oneOf(questionParts...)(name) || !isText(value) {
			return nil
		}
	}
	q := &question{
		cpt:     spelledCode(textOf(asked, "cpt")),
		day:     textOf(asked, "as_of"),
		npi:     textOf(asked, "npi"),
		setting: textOf(asked, "setting"),
		basis:   textOf(asked, "basis"),
	}
	if !isCode(q.cpt) || !isDay(q.day) || !q.readRegion(textOf(asked, "region")) ||
		q.npi != "" && !(isNpi(q.npi) && hasCheckDigit(q.npi)) || q.setting != "" && !isSetting(q.setting) {
		return nil
	}
	if given := capitals(textOf(asked, "modifier")); given != "" {
		if !isModifier(given) {
			return nil
		}
		seen := map[string]bool{}
		for _, each := range strings.Split(given, "-") {
			if !seen[each] {
				seen[each] = true
				q.modifiers = append(q.modifiers, each)
			}
		}
		sort.Strings(q.modifiers)
	}
	if q.basis != "" && (!isBasis(q.basis) || strings.HasPrefix(q.basis, "hospital_") != (q.npi != "")) {
		return nil
	}
	if q.npi == "" {
		if q.schedules = schedulesFor(q.basis, q.setting); q.schedules == nil {
			return nil
		}
	}
	return q
}

func (q *question) readRegion(given string) bool {
	if given == "" {
		given = "national"
	}
	if !isAskedRegion(given) {
		return false
	}
	text := strings.TrimPrefix(capitals(given), "ZIP-")
	switch {
	case text == "NATIONAL":
		q.region = "national"
		return true
	case '0' <= text[0] && text[0] <= '9':
		q.zip, q.plusFour, _ = strings.Cut(text, "-")
		return true
	case len(text) == 2:
		text = "US-" + text
	}
	q.region = text
	return isBiddingArea(text) || isStateName(text[3:5])
}

// hasCheckDigit is the Luhn sum over 80840 and the ten digits.
func hasCheckDigit(npi string) bool {
	sum := 0
	digits := "80840" + npi
	for i := range digits {
		digit := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if digit *= 2; digit > 9 {
				digit -= 9
			}
		}
		sum += digit
	}
	return sum%10 == 0
}

// schedulesFor are those that may answer, in order, or nil if none may.
func schedulesFor(basis, setting string) []string {
	if basis != "" {
		for name, each := range charts {
			if each.bases[0] == basis {
				return []string{name}
			}
		}
		return nil
	}
	switch setting {
	case "", "non_facility", "facility":
		return []string{"cms-pfs", "cms-clfs", "cms-asp", "cms-dmepos"}
	case "outpatient":
		return []string{"cms-opps", "cms-clfs"}
	case "asc":
		return []string{"cms-asc", "cms-clfs"}
	case "rural", "non_rural":
		return []string{"cms-dmepos"}
	}
	return nil
}

// settingsTried are those of a chart that are looked for; an empty one is null.
func settingsTried(c *chart, setting string, where place) []string {
	open := setting == "" || c.by == "state" && (setting == "non_facility" || setting == "facility")
	if open && where.rural {
		setting = "rural"
	}
	switch {
	case setting == "rural" && oneOf(c.settings...)(setting):
		return []string{"rural", "non_rural"} // the publisher leaves the rural amount out where it is the same
	case open && where.by["rural"] == false:
		return leaveOut(c.settings, []string{"rural"}) // what is stated for rural areas alone holds nowhere else
	case open || oneOf(c.settings...)(""):
		return c.settings
	case oneOf(c.settings...)(setting):
		return []string{setting}
	}
	return nil
}
