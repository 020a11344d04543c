package main

import (
	"fmt"
	"math/big"
	"strings"
)

var (
	isRvu     = matching(`[0-9]{1,6}(\.[0-9]{1,2})?`)
	isGpci    = matching(`[0-9](\.[0-9]{1,3})?`)
	isFactor  = matching(`[0-9]{1,4}(\.[0-9]{1,4})?`)
	isPrinted = matching(`0*([0-9]{1,9})(\.([0-9]{0,2})0*)?`)
	isColumn  = oneOf("with_floor", "without_floor")

	pfsInputs = map[string]form{
		"work_rvu": isRvu, "practice_rvu": isRvu, "malpractice_rvu": isRvu,
		"work_gpci": isGpci, "practice_gpci": isGpci, "malpractice_gpci": isGpci,
		"conversion_factor": isFactor,
	}
	statusReasons = map[string]string{"B": "bundled", "P": "bundled", "C": "carrier_priced", "N": "not_covered",
		"E": "not_covered", "X": "not_covered", "I": "not_valid", "J": "anesthesia"}
)

// checkDerivation recomputes the price or the reason of a row, with or without its proof.
func checkDerivation(value any) error {
	given, _ := value.(object)
	row := without(given, "proof")
	if !isRow(row) {
		return reason("inputs_malformed")
	}
	derivation := row["derivation"].(object)
	inputs := derivation["inputs"].(object)
	method := textOf(row, "kind") + " " + textOf(derivation, "method")
	var capped bool
	var err error
	switch method {
	case "price pfs-formula/1":
		capped, err = checkFormula(row, inputs)
	case "price verbatim/1":
		err = checkVerbatim(row, inputs)
	case "price range/1":
		err = checkRange(row, inputs)
	case "absence cms-status/1":
		err = checkStatus(row, inputs)
	case "absence clfs-indicator/1":
		if !closed(map[string]form{"indicator": oneOf("L")})(inputs) {
			err = reason("inputs_malformed")
		} else if row["reason"] != "carrier_priced" {
			err = reason("reason_mismatch")
		}
	default:
		err = reason("unknown_method")
	}
	if err == nil && !flagsFollow(row["flags"].([]any), method == "price pfs-formula/1", capped) {
		err = reason("flags_mismatch")
	}
	return err
}

// flagsFollow: whether the source has the mark cannot be known from the row, so the flag for it may be there or not.
func flagsFollow(flags []any, mayBeMarked, capped bool) bool {
	if mayBeMarked && len(flags) > 0 && flags[0] == "na_indicator" {
		flags = flags[1:]
	}
	if capped {
		return len(flags) == 1 && flags[0] == "opps_cap"
	}
	return len(flags) == 0
}

// scaled reads a decimal as an integer of so many decimals. It takes what a pattern above has accepted.
func scaled(text string, decimals int) *big.Int {
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	number, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10)
	return number
}

func checkFormula(row, inputs object) (capped bool, err error) {
	wanted := map[string]form{}
	for name, fits := range pfsInputs {
		wanted[name] = fits
	}
	if textOf(row, "region") == "national" {
		for _, name := range []string{"work_gpci", "practice_gpci", "malpractice_gpci"} {
			wanted[name] = oneOf("1.000")
		}
	} else {
		wanted["work_gpci_column"] = isColumn
	}
	_, hasCap := inputs["opps_practice_rvu"]
	if hasCap {
		wanted["opps_practice_rvu"], wanted["opps_malpractice_rvu"] = isRvu, isRvu
	}
	if !closed(wanted)(inputs) || hasCap && isZero(inputs, "opps_practice_rvu") ||
		isZero(inputs, "work_rvu") && isZero(inputs, "practice_rvu") && isZero(inputs, "malpractice_rvu") {
		return false, reason("inputs_malformed")
	}
	price := formula(inputs, "practice_rvu", "malpractice_rvu")
	if hasCap {
		ceiling := formula(inputs, "opps_practice_rvu", "opps_malpractice_rvu")
		if ceiling.Cmp(price) < 0 {
			price, capped = ceiling, true
		}
	}
	return capped, samePrice(row, object{"amount": dollars(price), "currency": "USD"})
}

func isZero(inputs object, name string) bool { return scaled(textOf(inputs, name), 2).Sign() == 0 }

// formula is in integers that never overflow: 10^8 times 10^4 times 10^8 would.
func formula(inputs object, practice, malpractice string) *big.Int {
	sum := new(big.Int)
	factors := map[string]string{"work_rvu": "work_gpci", practice: "practice_gpci", malpractice: "malpractice_gpci"}
	for rvu, gpci := range factors {
		sum.Add(sum, new(big.Int).Mul(scaled(textOf(inputs, rvu), 2), scaled(textOf(inputs, gpci), 3)))
	}
	sum.Mul(sum, scaled(textOf(inputs, "conversion_factor"), 4))
	sum.Add(sum, big.NewInt(5_000_000))
	return sum.Div(sum, big.NewInt(10_000_000))
}

func dollars(amount *big.Int) string {
	whole, rest := new(big.Int).DivMod(amount, big.NewInt(100), new(big.Int))
	return fmt.Sprintf("%v.%02d", whole, rest.Int64())
}

func samePrice(row, price object) error {
	if string(canonical(row["price"])) != string(canonical(price)) {
		return reason("price_mismatch")
	}
	return nil
}

func isStated(value any) bool {
	return isPrinted(value) && scaled(value.(string), 2).Sign() > 0
}

func checkVerbatim(row, inputs object) error {
	for _, name := range []string{"rate", "amount"} {
		if closed(map[string]form{name: isStated})(inputs) {
			return samePrice(row, object{"amount": dollars(scaled(textOf(inputs, name), 2)), "currency": "USD"})
		}
	}
	return reason("inputs_malformed")
}

func checkRange(row, inputs object) error {
	if !closed(map[string]form{"low": isStated, "high": isStated})(inputs) {
		return reason("inputs_malformed")
	}
	low, high := scaled(textOf(inputs, "low"), 2), scaled(textOf(inputs, "high"), 2)
	if low.Cmp(high) >= 0 {
		return reason("inputs_malformed")
	}
	return samePrice(row, object{"low": dollars(low), "high": dollars(high), "currency": "USD"})
}

func checkStatus(row, inputs object) error {
	if !closed(map[string]form{"status_code": matching(`[A-Z]`)})(inputs) {
		return reason("inputs_malformed")
	}
	follows, known := statusReasons[textOf(inputs, "status_code")]
	if !known {
		follows = "no_price_stated"
	}
	if row["reason"] != follows {
		return reason("reason_mismatch")
	}
	return nil
}
