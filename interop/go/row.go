package main

import (
	"math/big"
	"strings"
)

const maxLeaf = 16384

var (
	isAmount   = matching(`(0|[1-9][0-9]{0,11})\.[0-9]{2}`)
	isCode     = matching(`[0-9]{4}[0-9A-Z]|[A-Z][0-9]{4}`)
	isModifier = matching(`[A-Z0-9]{2}(-[A-Z0-9]{2}){0,3}`)
	isRegion   = matching(`national|US-[A-Z]{2}-[0-9]{2}`)
	isNpi      = matching(`[12][0-9]{9}`)
	// Reserved words have the right form: nothing in row.md says that a row which uses one is malformed.
	isBasis = oneOf("medicare_pfs", "medicare_clfs", "hospital_cash", "hospital_gross", "hospital_negotiated_low",
		"hospital_negotiated_high", "medicare_opps")
	isSetting = oneOf("non_facility", "facility", "outpatient", "inpatient")
	isReason  = oneOf("bundled", "carrier_priced", "not_covered", "not_valid", "anesthesia", "no_price_stated",
		"withheld_outlier", "withheld_conflict")
	isName  = matching(`[a-z][a-z0-9_]*`)
	isInput = matching(`[A-Za-z0-9.,_-]{1,64}`)

	onePrice = closed(map[string]form{"amount": isAmount, "currency": oneOf("USD")})
	twoPrice = closed(map[string]form{"low": isAmount, "high": isAmount, "currency": oneOf("USD")})

	isPriceRow   = closed(rowMembers("price", isPrice))
	isAbsenceRow = closed(rowMembers("reason", isReason))
)

func rowMembers(own string, fits form) map[string]form {
	kind := "price"
	if own == "reason" {
		kind = "absence"
	}
	return map[string]form{
		"kind":           oneOf(kind),
		own:              fits,
		"cpt":            isCode,
		"modifier":       nullOr(isModifier),
		"region":         isRegion,
		"npi":            nullOr(isNpi),
		"basis":          isBasis,
		"setting":        nullOr(isSetting),
		"effective_from": isDay,
		"flags":          listOf(64, isName),
		"derivation":     closed(map[string]form{"method": matching(`[a-z][a-z0-9-]*/[1-9][0-9]*`), "inputs": isInputs}),
		"locator":        listOf(64, closed(map[string]form{"citation": isCount, "line": integerFrom(1)})),
	}
}

// isRow takes a row without its proof.
func isRow(value any) bool { return isPriceRow(value) || isAbsenceRow(value) }

func isPrice(value any) bool {
	if onePrice(value) {
		return true
	}
	return twoPrice(value) && cents(textOf(value, "low")).Cmp(cents(textOf(value, "high"))) < 0
}

func isInputs(value any) bool {
	inputs, ok := value.(object)
	for name, text := range inputs {
		if !isName(name) || !isInput(text) {
			return false
		}
	}
	return ok
}

// cents reads an amount that isAmount has accepted.
func cents(amount string) *big.Int {
	number, _ := new(big.Int).SetString(strings.Replace(amount, ".", "", 1), 10)
	return number
}

// textOf is a member that is a text; null and what is missing are the empty text.
func textOf(value any, name string) string {
	members, _ := value.(object)
	text, _ := members[name].(string)
	return text
}

func numberOf(value any, name string) int64 {
	return int64(value.(object)[name].(float64))
}

var keyParts = []string{"cpt", "region", "npi", "modifier", "basis", "setting"}

func keyOf(row object) string {
	parts := make([]string, len(keyParts))
	for i, name := range keyParts {
		parts[i] = textOf(row, name)
	}
	return strings.Join(parts, "|")
}

// without is an object with one member less; what was read is never changed.
func without(from object, name string) object {
	rest := object{}
	for each, value := range from {
		if each != name {
			rest[each] = value
		}
	}
	return rest
}
