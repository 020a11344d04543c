package main

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

var (
	isRvu    = matching(`[0-9]{1,6}(\.[0-9]{1,2})?`)
	isGpci   = matching(`[0-9](\.[0-9]{1,3})?`)
	isFactor = matching(`[0-9]{1,4}(\.[0-9]{1,4})?`)
	isColumn = oneOf("with_floor", "without_floor")
	isApm    = oneOf("qualifying_apm", "non_qualifying_apm")
	stated   = regexp.MustCompile(`^0*([0-9]{1,9})(\.([0-9]{0,20}))?$`)

	priceMethods = map[string]func(row, inputs object) (result object, capped, ok bool){
		"pfs-formula/1":   byFormula,
		"verbatim/1":      byOne([]string{"rate", "amount"}, asStated),
		"rounded/1":       byOne([]string{"rate", "amount"}, rounded),
		"least-rate/1":    byOne([]string{"amount"}, asStated, rounded),
		"greatest-rate/1": byOne([]string{"amount"}, asStated, rounded),
		"range/1":         byRange,
	}
	freeFlags = oneOf("inflation_adjusted_coinsurance", "reference_biological_add_on", "amp_based", "lesser_of",
		"hiv_prep", "see_publisher_page", "partial",
		"code_restored", "mixed_units", "rate_outside_range")
)

// checkDerivation recomputes the price or the reason of a row, with or without its proof.
func checkDerivation(value any) error {
	given, _ := value.(object)
	row := without(given, "proof")
	if !isPriceRow(row) {
		return reason("inputs_malformed")
	}
	method, inputs := methodOf(row), row["derivation"].(object)["inputs"].(object)
	byPrice, byAbsence := priceMethods[method], absenceMethods[method]
	if textOf(row, "kind") == "absence" {
		byPrice = nil
	} else {
		byAbsence = nil
	}
	if !bases[textOf(row, "basis")].methods(method) || byPrice == nil && byAbsence == nil {
		return reason("unknown_method")
	}
	flags := row["flags"].([]any)
	if byAbsence != nil {
		follows, ok := byAbsence.reasonOf(inputs)
		switch {
		case !ok:
			return reason("inputs_malformed")
		case follows != textOf(row, "reason"):
			return reason("reason_mismatch")
		case len(flags) > 0:
			return reason("flags_mismatch")
		}
		return nil
	}
	result, capped, ok := byPrice(row, inputs)
	if !ok {
		return reason("inputs_malformed")
	}
	price := row["price"].(object)
	if !same(without(price, "currency", "per"), result) {
		return reason("price_mismatch")
	}
	if !flagsFollow(row, price, flags, capped) {
		return reason("flags_mismatch")
	}
	return nil
}

func flagsFollow(row, price object, flags []any, capped bool) bool {
	seen := map[any]bool{}
	for _, flag := range flags {
		if seen[flag] {
			return false
		}
		seen[flag] = true
		switch {
		case flag == "opps_cap" || flag == "far_from_medicare": // below
		case flag == "unit_unparsed":
			if price["per"] != "1 UNIT" {
				return false
			}
		case !freeFlags(flag):
			return false
		}
	}
	return seen["opps_cap"] == capped && seen["far_from_medicare"] == has(row["indicators"].(object), "compared_amount")
}

func byFormula(row, inputs object) (result object, capped, ok bool) {
	gpci := isGpci
	wanted := map[string]form{"work_rvu": isRvu, "practice_rvu": isRvu, "malpractice_rvu": isRvu, "conversion_factor": isFactor}
	if textOf(row, "region") == "national" {
		gpci = oneOf("1.000")
	} else {
		wanted["work_gpci_column"] = isColumn
	}
	for _, name := range []string{"work_gpci", "practice_gpci", "malpractice_gpci"} {
		wanted[name] = gpci
	}
	hasCap := has(inputs, "opps_practice_rvu")
	if hasCap {
		wanted["opps_practice_rvu"], wanted["opps_malpractice_rvu"] = isRvu, isRvu
	}
	isZero := func(name string) bool { return scaled(textOf(inputs, name), 2).Sign() == 0 }
	if !closedOr(wanted, map[string]form{"conversion_factor_kind": isApm})(inputs) ||
		hasCap && isZero("opps_practice_rvu") ||
		isZero("work_rvu") && isZero("practice_rvu") && isZero("malpractice_rvu") {
		return nil, false, false
	}
	price := formula(inputs, "practice_rvu", "malpractice_rvu")
	if hasCap {
		ceiling := formula(inputs, "opps_practice_rvu", "opps_malpractice_rvu")
		if ceiling.Cmp(price) < 0 {
			price, capped = ceiling, true
		}
	}
	return object{"amount": dollars(price)}, capped, true
}

// formula is in integers that never overflow: 10^8 times 10^4 times 10^8 would.
func formula(inputs object, practice, malpractice string) *big.Int {
	sum := new(big.Int)
	for rvu, gpci := range map[string]string{"work_rvu": "work_gpci", practice: "practice_gpci", malpractice: "malpractice_gpci"} {
		sum.Add(sum, new(big.Int).Mul(scaled(textOf(inputs, rvu), 2), scaled(textOf(inputs, gpci), 3)))
	}
	sum.Mul(sum, scaled(textOf(inputs, "conversion_factor"), 4))
	sum.Add(sum, big.NewInt(5_000_000))
	return sum.Div(sum, big.NewInt(10_000_000))
}

func dollars(cents *big.Int) string {
	whole, rest := new(big.Int).DivMod(cents, big.NewInt(100), new(big.Int))
	return fmt.Sprintf("%v.%02d", whole, rest.Int64())
}

// A reading of money as a file states it; without a result it is empty.
type reading func(text string) string

// partsOf are the digits before the point and those after it without trailing zeros.
func partsOf(text string) (whole, decimals string, ok bool) {
	match := stated.FindStringSubmatch(text)
	if match == nil {
		return "", "", false
	}
	whole = strings.TrimLeft(match[1], "0")
	if whole == "" {
		whole = "0"
	}
	return whole, strings.TrimRight(match[3], "0"), true
}

func asStated(text string) string {
	whole, decimals, ok := partsOf(text)
	if !ok || len(decimals) > 4 || whole == "0" && decimals == "" {
		return ""
	}
	for len(decimals) < 2 {
		decimals += "0"
	}
	return whole + "." + decimals
}

func rounded(text string) string {
	whole, decimals, ok := partsOf(text)
	if !ok || len(decimals) <= 4 {
		return ""
	}
	cents, _ := new(big.Int).SetString(whole+decimals[:2], 10)
	if decimals[2] >= '5' {
		cents.Add(cents, big.NewInt(1))
	}
	if cents.Sign() == 0 {
		return ""
	}
	return dollars(cents)
}

// read takes the first reading that has a result.
func read(text string, readings ...reading) string {
	for _, each := range readings {
		if result := each(text); result != "" {
			return result
		}
	}
	return ""
}

func byOne(names []string, readings ...reading) func(row, inputs object) (object, bool, bool) {
	return func(_, inputs object) (object, bool, bool) {
		for _, name := range names {
			if result := read(textOf(inputs, name), readings...); len(inputs) == 1 && result != "" {
				return object{"amount": result}, false, true
			}
		}
		return nil, false, false
	}
}

func byRange(_, inputs object) (object, bool, bool) {
	low := read(textOf(inputs, "low"), asStated, rounded)
	high := read(textOf(inputs, "high"), asStated, rounded)
	if len(inputs) != 2 || low == "" || high == "" || scaled(low, 4).Cmp(scaled(high, 4)) >= 0 {
		return nil, false, false
	}
	return object{"low": low, "high": high}, false, true
}
