package main

import (
	"math/big"
	"sort"
	"strings"
)

var isNeutral = oneOf(strings.Fields(`24 25 27 57 58 59 76 77 79 91 XE XS XP XU RT LT LC LD LM RC RI E1 E2 E3 E4 FA F1 F2
	F3 F4 F5 F6 F7 F8 F9 TA T1 T2 T3 T4 T5 T6 T7 T8 T9 GN GO GP GT 93 95 KX 33 PT AI GC Q5 Q6 JW JZ AA QZ GA CR AT Q7 Q8 Q9
	GQ G0 FQ GV GW Q0 Q1 QS`)...)

type adjusting struct {
	rule, indicator string
	factors         map[string]string
}

var (
	byAssistant = &adjusting{"assistant/1", "assistant", map[string]string{"0": "0.160", "2": "0.160"}}
	adjustings  = map[string]*adjusting{
		"50": {"bilateral/1", "bilateral", map[string]string{"1": "1.500", "2": "1.000", "3": "2.000"}},
		"62": {"co-surgeon/1", "co_surgeon", map[string]string{"1": "0.625", "2": "0.625"}},
		"80": byAssistant,
		"81": byAssistant,
		"82": byAssistant,
		"AS": {"assistant-non-physician/1", "assistant", map[string]string{"0": "0.136", "2": "0.136"}},
	}
)

// bothSides puts 50 in place of LT and RT, where both are there.
func bothSides(asked []string) []string {
	sides := map[string]bool{}
	kept := []string{"50"}
	for _, each := range asked {
		switch each {
		case "LT", "RT":
			sides[each] = true
		case "50":
		default:
			kept = append(kept, each)
		}
	}
	if len(sides) < 2 {
		return asked
	}
	sort.Strings(kept)
	return kept
}

// sortModifiers parts those asked for: the neutral ones, the one that adjusts (if it is exactly one), and the key's.
func sortModifiers(asked []string) (neutral []string, adjusts string, key string) {
	var rest, choosing []string
	count := 0
	for _, each := range bothSides(asked) {
		if isNeutral(each) {
			neutral = append(neutral, each)
			continue
		}
		rest = append(rest, each)
		if adjustings[each] != nil {
			count++
			adjusts = each
		} else {
			choosing = append(choosing, each)
		}
	}
	if count > 1 {
		adjusts, choosing = "", rest
	}
	return neutral, adjusts, strings.Join(choosing, "-")
}

// toldOfModifiers checks what stands beside a row about modifiers (proof.md, A lookup, step 4). Null is nothing.
func toldOfModifiers(beside, row object) error {
	if given := beside["modifiers_ignored"]; given != nil {
		if !listOf(64, isNeutral)(given) {
			return reason("not_recognised")
		}
		items := given.([]any)
		for i := 1; i < len(items); i++ {
			if items[i-1].(string) >= items[i].(string) {
				return reason("not_recognised")
			}
		}
	}
	given := beside["adjustment"]
	if given == nil {
		return nil
	}
	modifier := textOf(given, "modifier")
	if adjustings[modifier] != nil && has(row, "price") {
		if made := adjustment(modifier, row); made != nil && same(given, made) {
			return nil
		}
	}
	return reason("body_contradicts_proof")
}

// adjustment is nil where the modifier is not allowed.
func adjustment(modifier string, row object) object {
	by := adjustings[modifier]
	factor := by.factors[textOf(row["indicators"], by.indicator)]
	amount := textOf(row["price"], "amount")
	if factor == "" || amount == "" {
		return nil
	}
	cents := new(big.Int).Mul(scaled(amount, 4), scaled(factor, 3))
	cents.Add(cents, big.NewInt(50_000))
	cents.Div(cents, big.NewInt(100_000))
	return object{"modifier": modifier, "rule": by.rule, "factor": factor, "amount": dollars(cents)}
}
