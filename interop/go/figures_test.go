package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A figuresLog is a log of figures in the making.
type figuresLog struct {
	entries []object
	stands  map[string]object // the last change of each metric
}

// The kinds of figures that a release can have: what its state has beside the rest.
var (
	plain      = object{}
	marked     = object{"exact": true}
	withNoise  = object{"noise": noiseOf("1")}
	forCases   = object{"noise": noiseOf("1"), "unit": "case", "median_band": nil, "counts_standard_error": 4.0}
	forPersons = object{"noise": noiseOf("1"), "unit": "person", "median_band": nil, "counts_standard_error": 12.0}
	unreleased = object{"unit": nil, "median_band": nil, "counts_standard_error": nil}
	allMetrics = append(append([]string{}, figureNames...), countNames...)
)

func noiseOf(epsilon string) object {
	return object{"mechanism": "discrete_laplace", "epsilon": epsilon, "windows": "disjoint"}
}

func with(from object, name string, value any) object {
	other := without(from)
	other[name] = value
	return other
}

// newFiguresLog has the state of before the first release.
func newFiguresLog(kind object) *figuresLog {
	l := &figuresLog{stands: map[string]object{}}
	l.addState(nil, nil, "0", kind)
	return l
}

// addState appends the state that follows from the changes. What cannot have a value is withheld.
func (l *figuresLog) addState(id, at any, rule string, kind object) {
	metrics := object{}
	for _, name := range figureNames {
		change := l.stands[name]
		figure := object{"value": change["new"], "suppressed": change["new"] == nil, "reason": nil,
			"as_of": change["new_as_of"], "definition": "What it is"}
		if change["new"] == nil {
			figure["reason"] = "small_cell"
		}
		if has(kind, "unit") {
			figure["standard_error"] = change["new"] // it has the form of a value
		}
		metrics[name] = figure
	}
	state := object{"schema": "figures-state/1", "release_id": id, "as_of": at, "data_class": nil, "sdc_rule_version": rule,
		"metrics": metrics, "cases_floor10": l.stands["cases_floor10"]["new"],
		"settlements_floor10": l.stands["settlements_floor10"]["new"], "recorded_at": "2026-01-01T00:00:00Z"}
	if id != nil {
		state["data_class"], state["recorded_at"] = "sample", at
	}
	for name, member := range kind {
		state[name] = member
	}
	l.entries = append(l.entries, state)
}

// release appends changes and their state. Values are others at each place.
func (l *figuresLog) release(rule string, kind object, metrics ...string) *figuresLog {
	at := fmt.Sprintf("2026-02-01T00:00:%02dZ", len(l.entries))
	for _, name := range metrics {
		place := len(l.entries)
		var value any
		switch name {
		case "w", "r", "p":
			value = float64(place) / 100
		case "savings_total":
			value = fmt.Sprintf("%d000.00", place)
		case "cases_floor10", "settlements_floor10":
			value = float64(place) * 10
		}
		before := l.stands[name]
		change := object{"seq": float64(place), "release_id": at, "released_at": at, "metric": name, "old": before["new"],
			"new": value, "old_as_of": before["new_as_of"], "new_as_of": at, "reason": "scheduled", "sdc_rule_version": rule}
		l.stands[name] = change
		l.entries = append(l.entries, change)
	}
	l.addState(at, at, rule, kind)
	return l
}

func (l *figuresLog) expect(t *testing.T, name string, want ...int64) {
	t.Helper()
	var entries []any
	for _, entry := range l.entries {
		entries = append(entries, entry)
	}
	if got := replayFigures(entries); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: faults at %v, not at %v", name, got, want)
	}
}

func TestStatesOfFigures(t *testing.T) {
	stateOf := func(kind object) object {
		l := newFiguresLog(plain).release("1", kind, allMetrics...)
		return l.entries[len(l.entries)-1]
	}
	before := func(kind object) object { return newFiguresLog(kind).entries[0] }
	withoutCounts := func(names ...string) object {
		state := stateOf(forCases)
		for _, name := range names {
			state = with(state, name, nil)
		}
		return state
	}
	figure := func(state object, name string, to func(object) object) object {
		metrics := state["metrics"].(object)
		return with(state, "metrics", with(metrics, name, to(metrics[name].(object))))
	}
	errorOf := func(value any) func(object) object {
		return func(figure object) object { return with(figure, "standard_error", value) }
	}
	band := func(low, high any) object {
		return with(stateOf(forCases), "median_band", object{"low": low, "high": high})
	}
	for _, each := range []struct {
		name  string
		state object
		want  bool
	}{
		{"plain", stateOf(plain), true},
		{"exact", stateOf(marked), true},
		{"noise alone", stateOf(withNoise), true},
		{"exact with noise and nothing more, which no rule forbids", with(stateOf(withNoise), "exact", true), true},
		{"all that tells how exact", stateOf(forCases), true},
		{"persons", stateOf(forPersons), true},
		{"before the first release", before(unreleased), true},
		{"before the first release, with noise", before(with(unreleased, "noise", noiseOf("1"))), true},
		{"before the first release, exact", before(marked), true},
		{"a band", band("0.00", "500.00"), true},
		{"a band without an end", band("2000.00", nil), true},
		{"one count", withoutCounts("cases_floor10"), true},
		{"no counts", withoutCounts("cases_floor10", "settlements_floor10", "counts_standard_error"), true},
		{"an error of no counts", withoutCounts("cases_floor10", "settlements_floor10"), false},
		{"counts without an error", withoutCounts("counts_standard_error"), false},
		{"a band without a beginning", band(nil, "500.00"), false},
		{"a band of numbers", band(0.0, 500.0), false},
		{"a band with more", with(stateOf(forCases), "median_band", object{"low": "0.00", "high": nil, "mid": nil}), false},
		{"not exact", with(stateOf(plain), "exact", false), false},
		{"exact is null", with(stateOf(plain), "exact", nil), false},
		{"exact with errors", with(stateOf(forCases), "exact", true), false},
		{"before the first release, exact with errors", before(with(unreleased, "exact", true)), false},
		{"before the first release, a unit", before(with(unreleased, "unit", "case")), false},
		{"before the first release, a band", before(with(unreleased, "median_band", object{"low": "0.00", "high": nil})), false},
		{"no unit", without(stateOf(forCases), "unit"), false},
		{"no band", without(stateOf(forCases), "median_band"), false},
		{"no error of counts", without(stateOf(forCases), "counts_standard_error"), false},
		{"no noise", without(stateOf(forCases), "noise"), false},
		{"a unit of null", with(stateOf(forCases), "unit", nil), false},
		{"another unit", with(stateOf(forCases), "unit", "household"), false},
		{"a unit alone", with(stateOf(withNoise), "unit", "case"), false},
		{"an error alone", figure(stateOf(plain), "w", errorOf(0.1)), false},
		{"an error left out", figure(stateOf(forCases), "w", func(w object) object { return without(w, "standard_error") }), false},
		{"a value without an error", figure(stateOf(forCases), "w", errorOf(nil)), false},
		{"an error without a value", figure(stateOf(forCases), "savings_median", errorOf("50.00")), false},
		{"an error of a rate above one", figure(stateOf(forCases), "w", errorOf(1.5)), false},
		{"an error of a rate in dollars", figure(stateOf(forCases), "w", errorOf("0.10")), false},
		{"an error of an amount as a number", figure(stateOf(forCases), "savings_total", errorOf(50.0)), false},
	} {
		if isFigureState(each.state) != each.want {
			t.Errorf("%s: %v", each.name, !each.want)
		}
	}
}

// TestSeries: noise, unit and the mark of exact figures within a series, and where another begins.
func TestSeries(t *testing.T) {
	begin := func(kind object) *figuresLog { return newFiguresLog(plain).release("1", kind, allMetrics...) } // state at 8
	all := allMetrics                                                                                        // with all of them, the next state is at 16
	begin(forCases).release("1", forCases, all...).expect(t, "a series goes on")
	begin(forCases).release("1", forCases).expect(t, "a series goes on, and nothing moved")
	begin(forCases).release("2", forCases).expect(t, "a new rule, and nothing moved")
	begin(forCases).release("2", forPersons, all...).expect(t, "another unit in a new series")
	begin(forCases).release("2", forPersons, all[1:]...).expect(t, "another unit, and a figure that did not move", 15)
	begin(forCases).release("2", forPersons, all[:6]...).expect(t, "another unit, and a count that did not move", 15)
	begin(forCases).release("2", forPersons, append([]string{"another"}, all[1:]...)...).
		expect(t, "another unit, and seven changes of which one is of no figure", 16)
	begin(forCases).release("1", forPersons, all...).expect(t, "another unit under the same rule", 16)
	begin(withNoise).release("1", forCases, all...).expect(t, "a unit from some release on", 16)
	begin(forCases).release("1", withNoise, all...).expect(t, "a unit until some release", 16)
	begin(forCases).release("1", with(forCases, "noise", noiseOf("2")), "w").expect(t, "other noise with a change")
	begin(forCases).release("1", with(forCases, "noise", noiseOf("2"))).expect(t, "other noise, and nothing moved", 9)
	begin(forCases).release("2", with(forCases, "noise", noiseOf("2"))).expect(t, "other noise with a new rule alone", 9)
	begin(forCases).release("2", marked, all...).release("3", forCases, all...).expect(t, "to exact figures and back")
	begin(forCases).release("1", marked, all...).expect(t, "exact figures under the same rule", 16)
	begin(plain).release("1", marked).release("1", marked).expect(t, "marked from some release on")
	begin(marked).release("1", plain, all...).expect(t, "no longer marked", 16)
	begin(marked).release("2", plain, "w").expect(t, "no longer marked, with a new rule and one figure", 10)
	begin(marked).release("2", plain, all...).expect(t, "no longer marked, in a new series")
	begin(withNoise).release("1", with(withNoise, "exact", true)).expect(t, "marked in spite of noise, which no rule forbids")
	for _, kind := range []object{plain, marked, withNoise, forCases, forPersons} {
		newFiguresLog(unreleased).release("0", kind, all...).expect(t, "the first release begins a series")
		newFiguresLog(marked).release("0", kind, all...).expect(t, "the first release begins a series")
	}

	// What is wrong with a change does not keep it from being one of the seven.
	l := begin(forCases).release("2", forPersons, all...)
	l.entries[9] = with(l.entries[9], "seq", 7.0)
	l.expect(t, "a series begins with a change that does not follow", 9)
	// Two states in a row: the second has no changes of its own, and the series is that of the first.
	begin(forCases).release("2", marked, all...).release("3", forCases).expect(t, "noise again, and nothing moved", 17)
}

// sealed is a log with its checkpoint.
func (l *figuresLog) sealed() *fixture {
	x := &fixture{origin: "vectors.example/log/figures", entries: l.entries}
	x.sign()
	return x
}

func (x *fixture) figuresAnswer() object {
	state := x.entries[len(x.entries)-1]
	return with(figuresBody(state), "proof", object{"type": figuresProof, "state": state, "log": x.log})
}

func TestFiguresBody(t *testing.T) {
	figures := asked{figures: true}
	for _, kind := range []object{plain, marked, withNoise, forCases, forPersons} {
		x := newFiguresLog(plain).release("1", kind, allMetrics...).sealed()
		body := x.figuresAnswer()
		x.expect(t, "the figures", body, figures, "ok")
		for _, name := range []string{"noise", "exact", "unit", "counts_standard_error"} {
			if has(body, name) != has(kind, name) {
				t.Errorf("%s of %s", name, canonical(kind))
			}
			if has(body, name) {
				x.expect(t, name+" left out", without(body, name), figures, "body_contradicts_proof")
			} else {
				x.expect(t, name+" is null", with(body, name, nil), figures, "body_contradicts_proof")
			}
		}
		savings := body["savings"].(object)
		other := with(savings, "median_band", nil) // null and left out are two things
		if has(savings, "median_band") {
			other = without(savings, "median_band")
		}
		x.expect(t, "the band", with(body, "savings", other), figures, "body_contradicts_proof")
		x.expect(t, "the band elsewhere", with(body, "median_band", nil), figures, "body_contradicts_proof")
	}
}

func TestCloneOfFigures(t *testing.T) {
	read := func(l *figuresLog, options cloneOptions) (*clone, error) {
		x := l.sealed()
		files := map[string][]byte{"/log/figures/checkpoint": []byte(textOf(x.log, "checkpoint"))}
		addTiles(files, "/log/figures", x.entries)
		if isFigureState(x.entries[len(x.entries)-1]) {
			files["/api/figures"] = canonical(x.figuresAnswer())
		}
		return cloneLog(withToken, serve(t, files)+"/log/figures", x.pinned, options)
	}
	series := func() *figuresLog {
		return newFiguresLog(plain).release("1", marked, allMetrics...).release("2", forCases, allMetrics...)
	}
	expect := func(name string, l *figuresLog, want ...string) {
		t.Helper()
		_, err := read(l, cloneOptions{entries: true})
		var told alarms
		errors.As(err, &told)
		var got []string
		for _, each := range told {
			got = append(got, each.Error())
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: %v, not %q", name, err, want)
		}
	}
	for _, entries := range []bool{true, false} {
		done, err := read(series(), cloneOptions{entries: entries, ask: 1})
		if err != nil || done.answers != 1 || done.figuresOf != "2026-02-01T00:00:09Z" || entries != (done.entries == 17) {
			t.Error(done.answers, done.figuresOf, done.entries, err)
		}
	}
	const wrong, open = "figures_wrong: entry %d does not follow from those before it", "figures_wrong: the last entry is not a state"
	expect("a series", series())
	expect("another unit", series().release("2", forPersons, "w"), fmt.Sprintf(wrong, 18))
	cut := series()
	cut.entries = cut.entries[:12]
	expect("no state at the end", cut, open)
	unknown := series()
	unknown.entries = append(unknown.entries, with(unknown.entries[16], "exact", true))
	expect("an entry of no shape at the end", unknown, "entry_unknown: entry 17", open)
	ahead := series()
	later := time.Now().UTC().Add(time.Hour).Format("2006-01-02T15:04:05Z")
	ahead.entries[16] = with(ahead.entries[16], "recorded_at", later)
	expect("a time to come", ahead, "head_from_future: the newest state is of "+later)
}
