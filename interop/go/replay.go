package main

import "time"

// A figuresReplay is what a reader of the figures log knows after some entries (figures.md, Replay).
type figuresReplay struct {
	last   object            // the state before, or nil
	stands map[string]object // the last change of each metric
	first  object            // the first change since the last state, or nil
	moved  map[string]bool   // the metrics of the changes since the last state
	latest time.Time         // the latest time at which a state before was recorded
}

// standing is a value that stands of a metric, and since when; null and null before its first change.
func (r *figuresReplay) standing(metric string) (value, since any) {
	change := r.stands[metric] // of nil, members are null
	return change["new"], change["new_as_of"]
}

func sameText(a, b object, name, other string) bool { return textOf(a, name) == textOf(b, other) }

func (r *figuresReplay) changeFollows(change object, place int64) bool {
	old, since := r.standing(textOf(change, "metric"))
	if numberOf(change, "seq") != place || r.last == nil || !same(change["old"], old) || change["old_as_of"] != since ||
		change["new_as_of"] != change["released_at"] {
		return false
	}
	return r.first == nil || !r.moved[textOf(change, "metric")] &&
		sameText(change, r.first, "release_id", "release_id") &&
		sameText(change, r.first, "released_at", "released_at") &&
		sameText(change, r.first, "sdc_rule_version", "sdc_rule_version")
}

func (r *figuresReplay) stateFollows(state object) bool {
	if (state["release_id"] == nil) != (r.last == nil) {
		return false
	}
	if r.first != nil && !(sameText(r.first, state, "release_id", "release_id") &&
		sameText(r.first, state, "released_at", "as_of") &&
		sameText(r.first, state, "sdc_rule_version", "sdc_rule_version")) {
		return false
	}
	if r.last != nil && (state["release_id"] == r.last["release_id"] || textOf(state, "as_of") < textOf(r.last, "as_of")) {
		return false
	}
	for _, name := range figureNames {
		figure := state["metrics"].(object)[name].(object)
		value, since := r.standing(name)
		if !same(figure["value"], value) || figure["as_of"] != since {
			return false
		}
	}
	for _, name := range countNames {
		if value, _ := r.standing(name); !same(state[name], value) {
			return false
		}
	}
	recorded := timeOf(textOf(state, "recorded_at"))
	if r.last != nil && isBehind(recorded, r.latest) || state["as_of"] != nil && isBehind(recorded, timeOf(textOf(state, "as_of"))) {
		return false
	}
	return r.last == nil || r.staysTheSame(state)
}

// staysTheSame: what a state says beside values and times is what the state before it says, as far as nothing allows more.
func (r *figuresReplay) staysTheSame(state object) bool {
	if r.last["data_class"] == "sample" && state["data_class"] != "sample" {
		return false
	}
	isFirst := r.last["release_id"] == nil
	isNewRule := isFirst || state["sdc_rule_version"] != r.last["sdc_rule_version"]
	for _, name := range figureNames {
		before, now := r.last["metrics"].(object)[name].(object), state["metrics"].(object)[name].(object)
		if before["reason"] != now["reason"] && !r.moved[name] {
			return false
		}
		if before["definition"] != now["definition"] && !(r.moved[name] && isNewRule) {
			return false
		}
	}
	return isFirst || isNewRule && r.allMoved() || r.isOfTheSeries(state)
}

// allMoved: the release has a change of each of the seven metrics. Under a new rule, a series begins with it.
func (r *figuresReplay) allMoved() bool {
	for _, names := range [][]string{figureNames, countNames} {
		for _, name := range names {
			if !r.moved[name] {
				return false
			}
		}
	}
	return true
}

// isOfTheSeries: within a series noise neither begins nor ends, its members are others only with a change of some metric,
// the unit stays, and figures that are marked as exact stay marked. They may be marked at any release.
func (r *figuresReplay) isOfTheSeries(state object) bool {
	return has(state, "noise") == has(r.last, "noise") && (len(r.moved) > 0 || same(state["noise"], r.last["noise"])) &&
		state["unit"] == r.last["unit"] && // after a release none is null
		(has(state, "exact") || !has(r.last, "exact"))
}

// add takes the next entry, and says whether it follows. One that does not counts all the same; one of neither shape says
// nothing.
func (r *figuresReplay) add(entry any, place int64) bool {
	if isFigureState(entry) {
		state := entry.(object)
		follows := r.stateFollows(state)
		if now := timeOf(textOf(state, "recorded_at")); r.last == nil || now.After(r.latest) {
			r.latest = now
		}
		r.last, r.first, r.moved = state, nil, map[string]bool{}
		return follows
	}
	if !isChange(entry) {
		return false
	}
	change := entry.(object)
	follows := r.changeFollows(change, place)
	r.stands[textOf(change, "metric")] = change
	r.moved[textOf(change, "metric")] = true
	if r.first == nil {
		r.first = change
	}
	return follows
}

// replayFigures gives the places of the entries that do not follow from those before them, in their order. A log that has
// entries and does not end with a state has one more fault, at its size.
func replayFigures(entries []any) (faults []int64) {
	r := &figuresReplay{stands: map[string]object{}, moved: map[string]bool{}}
	for i, entry := range entries {
		if !r.add(entry, int64(i)) {
			faults = append(faults, int64(i))
		}
	}
	if size := len(entries); size > 0 && !isFigureState(entries[size-1]) {
		faults = append(faults, int64(size))
	}
	return faults
}
