package main

import (
	"math/big"
	"strings"
)

const maxLeaf = 16384

var (
	// isMoney is the form of an amount; zero is none, but may be what was billed.
	isMoney       = matching(`(0|[1-9][0-9]{0,11})\.[0-9]{2}([0-9]?[1-9])?`)
	isPer         = matching(`MONTH|DAY|MILE|UNIT|([1-9][0-9]{0,6}(\.[0-9]{1,4})?|0\.[0-9]{1,4}) (` + units + `)`)
	isCode        = matching(`[0-9]{4}[0-9A-Z]|[A-Z][0-9]{4}`)
	isModifier    = matching(`[A-Z0-9]{2}(-[A-Z0-9]{2}){0,3}`)
	isRegion      = matching(`national|US-[A-Z]{2}|US-[A-Z]{2}-[0-9]{2}|CBA-[0-9A-F]{8}`)
	isLocality    = matching(`US-[A-Z]{2}-[0-9]{2}`)
	isBiddingArea = matching(`CBA-[0-9A-F]{8}`)
	isZip         = matching(`[0-9]{5}`)
	isPlusFour    = matching(`[0-9]{4}-[0-9]{4}`)
	isSetting     = oneOf("non_facility", "facility", "outpatient", "inpatient", "asc", "rural", "non_rural", "super_rural")
	isClass       = oneOf("facility", "professional")
	isReason      = oneOf("bundled", "conditionally_packaged", "carrier_priced", "paid_elsewhere", "not_covered", "not_valid",
		"inpatient_only", "anesthesia", "not_applicable_in_setting", "no_price_stated", "unreadable", "withheld_conflict")

	isDerivation = closed(map[string]form{
		"method": matching(`[a-z][a-z0-9-]*/[1-9][0-9]*`),
		"inputs": mapOf(matching(`[A-Za-z0-9.,_-]{1,64}`)),
	})
	isIndicators = mapOf(matching(`[A-Za-z0-9.,:_-]{1,80}`))
	isLocator    = listOf(64, closed(map[string]form{"citation": isCount, "line": integerFrom(1)}))

	onePrice = closed(map[string]form{"amount": isAmount, "currency": oneOf("USD"), "per": nullOr(isPer)})
	twoPrice = closed(map[string]form{"low": isAmount, "high": isAmount, "currency": oneOf("USD"), "per": nullOr(isPer)})

	withPrice    = closed(rowMembers(oneOf("price", "rate"), "price", isPrice))
	withoutPrice = closed(rowMembers(oneOf("absence"), "reason", isReason))
	isPlaceRow   = closedOr(map[string]form{
		"kind":           oneOf("place"),
		"zip":            isZip,
		"plus_four":      nullOr(isPlusFour),
		"region":         nullOr(isLocality),
		"state":          nullOr(matching(`[A-Z]{2}`)),
		"effective_from": isDay,
		"locator":        isLocator,
	}, map[string]form{"rural": isBool, "bidding_area": nullOr(isBiddingArea)})
)

const units = `MG|ML|MCG|IU|UNIT|UNITS|GM|CC|DOSE|EA|EACH|MICROCURIE|MILLICURIE|MEQ|GR|ME|UN|F2`

func rowMembers(kind form, own string, fits form) map[string]form {
	return map[string]form{
		"kind":           kind,
		own:              fits,
		"cpt":            isCode,
		"region":         isRegion,
		"npi":            nullOr(isNpi),
		"modifier":       nullOr(isModifier),
		"basis":          isBasis,
		"setting":        nullOr(isSetting),
		"class":          nullOr(isClass),
		"effective_from": isDay,
		"flags":          listOf(64, isName),
		"derivation":     isDerivation,
		"indicators":     isIndicators,
		"locator":        isLocator,
	}
}

// mapOf is an object of any size whose members are called by names.
func mapOf(fits form) form {
	return func(value any) bool {
		members, ok := value.(object)
		for name, member := range members {
			if !isName(name) || !fits(member) {
				return false
			}
		}
		return ok
	}
}

func isBasis(value any) bool {
	text, ok := value.(string)
	_, known := bases[text]
	return ok && known
}

func isAmount(value any) bool {
	return isMoney(value) && tenThousandths(value.(string)).Sign() > 0
}

func isPrice(value any) bool {
	if onePrice(value) {
		return true
	}
	return twoPrice(value) && tenThousandths(textOf(value, "low")).Cmp(tenThousandths(textOf(value, "high"))) < 0
}

// isPriceRow takes a row without its proof: a price, a rate or an absence.
func isPriceRow(value any) bool {
	if !withPrice(value) && !withoutPrice(value) {
		return false
	}
	own := bases[textOf(value, "basis")].indicators
	for name := range value.(object)["indicators"].(object) {
		if !own(name) {
			return false
		}
	}
	return true
}

// isRow takes a row without its proof.
func isRow(value any) bool { return isPriceRow(value) || isPlaceRow(value) }

// scaled reads a decimal as an integer of so many decimals. It takes what a pattern has accepted.
func scaled(text string, decimals int) *big.Int {
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	number, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10)
	return number
}

func tenThousandths(amount string) *big.Int { return scaled(amount, 4) }

var keyParts = []string{"cpt", "region", "npi", "modifier", "basis", "setting", "class"}

func keyOf(row object) string {
	if textOf(row, "kind") == "place" {
		return textOf(row, "zip") + "|" + textOf(row, "plus_four")
	}
	parts := make([]string, len(keyParts))
	for i, name := range keyParts {
		parts[i] = textOf(row, name)
	}
	return strings.Join(parts, "|")
}

var (
	// What may stand in each part of a key; parts that may be null may be empty.
	partForms = []form{isCode, isRegion, emptyOr(isNpi), emptyOr(isModifier), isBasis, emptyOr(isSetting), emptyOr(isClass)}
	stateCut  = matching(`US-[A-Z]{2}-`)
	zipPrefix = matching(`[0-9]{5}\|([0-9]{4}-[0-9]{4})?`)
)

func emptyOr(fits form) form {
	return func(value any) bool { return value == "" || fits(value) }
}

// isPrefix: whether a key in a release of the chart could be cut short to this.
func isPrefix(prefix, chart string) bool {
	if chart == placeChart {
		return zipPrefix(prefix)
	}
	parts := strings.Split(prefix, "|")
	if len(parts) > len(keyParts) {
		return false
	}
	if count := len(parts); count < len(keyParts) {
		last := parts[count-1]
		if last != "" && !(count == 2 && stateCut(last)) {
			return false
		}
		parts = parts[:count-1]
	}
	for i, part := range parts {
		if !partForms[i](part) {
			return false
		}
	}
	return len(parts) > 0
}
