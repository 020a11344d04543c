package main

import (
	"math"
	"strings"
)

const figuresProof = "agent-trust-registry/figures-proof@v1"

// The shape of a state of the figures (figures.md, States).
var (
	figureNames    = []string{"w", "r", "p", "savings_total", "savings_median"}
	countNames     = []string{"cases_floor10", "settlements_floor10"}
	isDollars      = matching(`[0-9]{1,18}\.[0-9]{2}`)
	isRateFigure   = figureOf(isShare)
	isAmountFigure = figureOf(isDollars)
	figureState    = closedOr(map[string]form{
		"schema":           oneOf("figures-state/1"),
		"release_id":       nullOr(isToken),
		"as_of":            nullOr(isInstant),
		"data_class":       nullOr(oneOf("published", "sample")),
		"sdc_rule_version": isToken,
		"metrics": closed(map[string]form{"w": isRateFigure, "r": isRateFigure, "p": isRateFigure,
			"savings_total": isAmountFigure, "savings_median": isAmountFigure}),
		"cases_floor10":       nullOr(isFloor10),
		"settlements_floor10": nullOr(isFloor10),
		"recorded_at":         isInstant,
	}, map[string]form{
		"noise":                 closed(map[string]form{"mechanism": isName, "epsilon": isToken, "windows": isName}),
		"exact":                 func(value any) bool { return value == true },
		"unit":                  nullOr(oneOf("case", "person")),
		"median_band":           nullOr(closed(map[string]form{"low": isDollars, "high": nullOr(isDollars)})),
		"counts_standard_error": nullOr(isCount),
	})
	isFiguresProof = closed(map[string]form{"type": oneOf(figuresProof), "state": isFigureState, "log": isLogProof})
)

func isShare(value any) bool {
	number, ok := value.(float64)
	return ok && number >= 0 && number <= 1
}

func isFloor10(value any) bool { return isCount(value) && math.Mod(value.(float64), 10) == 0 }

// figureOf is a figure with values of a form. What has no value has no standard error, and the other way round.
func figureOf(value form) form {
	members := closedOr(map[string]form{"value": nullOr(value), "suppressed": isBool, "reason": nullOr(isName),
		"as_of": nullOr(isInstant), "definition": isLabel}, map[string]form{"standard_error": nullOr(value)})
	return func(given any) bool {
		if !members(given) {
			return false
		}
		figure := given.(object)
		withheld := figure["suppressed"].(bool)
		if has(figure, "standard_error") && withheld != (figure["standard_error"] == nil) {
			return false
		}
		return withheld == (figure["value"] == nil) && withheld == (figure["reason"] != nil)
	}
}

// isFigureState: before the first release everything that a release says is null, and afterwards nothing that it must say.
func isFigureState(value any) bool {
	if !figureState(value) {
		return false
	}
	state := value.(object)
	released := state["release_id"] != nil
	if released != (state["as_of"] != nil) || released != (state["data_class"] != nil) {
		return false
	}
	if !released && (state["cases_floor10"] != nil || state["settlements_floor10"] != nil) {
		return false
	}
	for _, name := range figureNames {
		figure := state["metrics"].(object)[name].(object)
		if released != (figure["as_of"] != nil) || !released && figure["value"] != nil {
			return false
		}
	}
	return saysHowExact(state)
}

// saysHowExact: either nothing tells how exact the figures are, or all that does is there and fits the rest of the state
// (rule 5 of States).
func saysHowExact(state object) bool {
	told := has(state, "unit")
	if has(state, "median_band") != told || has(state, "counts_standard_error") != told {
		return false
	}
	for _, name := range figureNames {
		if has(state["metrics"].(object)[name].(object), "standard_error") != told {
			return false
		}
	}
	if !told {
		return true
	}
	noCounts := state["cases_floor10"] == nil && state["settlements_floor10"] == nil
	if has(state, "exact") || noCounts != (state["counts_standard_error"] == nil) {
		return false
	}
	if state["release_id"] == nil {
		return state["unit"] == nil && state["median_band"] == nil
	}
	return state["unit"] != nil && has(state, "noise")
}

// figuresBody is what follows from a state (figures.md, The answer and its proof). What the state leaves out, it leaves out.
func figuresBody(state object) object {
	metrics := state["metrics"].(object)
	value := func(name string) any { return metrics[name].(object)["value"] }
	savings := object{"total": value("savings_total"), "median": value("savings_median"), "currency": "USD"}
	if band, there := state["median_band"]; there {
		savings["median_band"] = band
	}
	body := object{
		"w": value("w"), "r": value("r"), "p": value("p"),
		"savings":    savings,
		"provenance": "service_outcomes_ledger",
		"pii_policy": "aggregate_only",
	}
	for _, name := range []string{"cases_floor10", "settlements_floor10", "as_of", "release_id", "metrics",
		"sdc_rule_version", "data_class", "noise", "exact", "unit", "counts_standard_error"} {
		if member, there := state[name]; there {
			body[name] = member
		}
	}
	return body
}

// checkFigures verifies the answer about the figures (proof.md, Figures).
func checkFigures(body object, pinned *policy, what asked, age limits) (*verdict, error) {
	if !what.figures && !what.nothing() {
		return nil, errAnother
	}
	if body["proof"] == nil {
		return nil, reason("proof_missing")
	}
	if !isFiguresProof(body["proof"]) {
		return nil, reason("proof_malformed")
	}
	proof := body["proof"].(object)
	state, log := proof["state"].(object), proof["log"].(object)
	opened, err := inFigures(state, log, pinned, "state_not_in_log")
	if err != nil {
		return nil, err
	}
	if numberOf(log, "index") != opened.size-1 {
		return nil, reason("state_not_last")
	}
	if !same(without(body, "proof"), figuresBody(state)) {
		return nil, reason("body_contradicts_proof")
	}
	v := &verdict{checkpoint: textOf(log, "checkpoint"), opened: opened, recordedAt: textOf(state, "recorded_at"), figures: state}
	return v, opened.checkAge(v.recordedAt, age)
}

// inFigures checks that an entry stands in the figures log.
func inFigures(entry, log object, pinned *policy, otherwise reason) (*head, error) {
	opened, err := openCheckpoint([]byte(textOf(log, "checkpoint")), pinned)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(opened.origin, "/log/figures") {
		return nil, reason("log_of_other_kind")
	}
	if !isInLog(entry, log, opened) {
		return nil, otherwise
	}
	return opened, nil
}
