package main

import (
	"sort"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// A timeline replays the rule of log.md, What is in force, over the entries of a registry log, one after the other. What
// follows from them is computed again only for the charts that entries came for.
type timeline struct {
	withdrawn map[string]bool        // by release_id
	published map[string][]published // by chart, in the order of the log
	naming    []object               // releases that name providers, and moves, in the order of the log
	periods   map[string][]object    // by chart; nil if it has to be computed again
	providers []object
	stale     bool // whether providers has to be computed again
}

type published struct {
	manifest object
	id       string // its leaf hash
}

func newTimeline() *timeline {
	return &timeline{withdrawn: map[string]bool{}, published: map[string][]published{}, periods: map[string][]object{}}
}

func (t *timeline) add(entry object) {
	chart := textOf(entry, "chart")
	switch textOf(entry, "schema") {
	case "price-release/2":
		t.published[chart] = append(t.published[chart], published{entry, leafHash(entry)})
		if has(entry, "providers") {
			t.naming, t.stale = append(t.naming, entry), true
		}
		t.periods[chart] = nil
	case "price-withdrawal/2":
		t.withdrawn[textOf(entry, "release_id")], t.stale = true, true
		t.periods = map[string][]object{}
	case "provider-move/1":
		t.naming, t.stale = append(t.naming, entry), true
	}
}

func (t *timeline) hasRelease(chart, id string) bool {
	for _, each := range t.published[chart] {
		if textOf(each.manifest, "release_id") == id {
			return true
		}
	}
	return false
}

// inForce are the periods and the providers, each in the order of its tree.
func (t *timeline) inForce() (periods, providers []object) {
	var charts []string
	for chart := range t.published {
		charts = append(charts, chart)
	}
	sort.Slice(charts, func(i, j int) bool { return charts[i]+"|" < charts[j]+"|" })
	for _, chart := range charts {
		if t.periods[chart] == nil {
			t.periods[chart] = t.periodsOf(chart)
		}
		periods = append(periods, t.periods[chart]...)
	}
	if t.stale {
		t.providers, t.stale = t.speakers(), false
	}
	return periods, t.providers
}

// periodsOf is steps 2 and 3: of each edition the last revision counts, and then of each first day the last release.
func (t *timeline) periodsOf(chart string) []object {
	var left []published
	last := map[string]int{} // by edition
	for _, each := range t.published[chart] {
		if !t.withdrawn[textOf(each.manifest, "release_id")] {
			last[textOf(each.manifest, "edition")] = len(left)
			left = append(left, each)
		}
	}
	counts, begins := map[string]published{}, []string{} // by their first day
	for i, each := range left {
		if from := textOf(each.manifest, "effective_from"); last[textOf(each.manifest, "edition")] == i {
			if counts[from].manifest == nil {
				begins = append(begins, from)
			}
			counts[from] = each
		}
	}
	sort.Strings(begins)
	periods := []object{}
	for i, from := range begins {
		to := textOf(counts[from].manifest, "effective_to")
		if i+1 < len(begins) {
			if ends := dayBefore(begins[i+1]); ends < to {
				to = ends
			}
		}
		periods = append(periods, object{"chart": chart, "from": from, "to": to, "release": counts[from].id})
	}
	return periods
}

// speakers is step 4: the chart of the first release that names an NPI, unless a move counts.
func (t *timeline) speakers() (providers []object) {
	naming := map[string]map[string]bool{} // by NPI, the charts that have named it so far
	belongs := map[string]string{}
	for _, entry := range t.naming {
		chart := textOf(entry, "chart")
		if npi, isMove := entry["npi"].(string); isMove {
			if naming[npi][chart] {
				belongs[npi] = chart
			}
			continue
		}
		if t.withdrawn[textOf(entry, "release_id")] {
			continue
		}
		named, _ := entry["providers"].([]any)
		for _, each := range named {
			npi, _ := each.(string)
			if naming[npi] == nil {
				naming[npi], belongs[npi] = map[string]bool{}, chart
			}
			naming[npi][chart] = true
		}
	}
	for npi, chart := range belongs {
		providers = append(providers, object{"npi": npi, "chart": chart})
	}
	sort.Slice(providers, func(i, j int) bool { return textOf(providers[i], "npi") < textOf(providers[j], "npi") })
	return providers
}

// inForce is what follows from some entries.
func inForce(entries []object) (periods, providers []object) {
	t := newTimeline()
	for _, entry := range entries {
		t.add(entry)
	}
	return t.inForce()
}

func dayBefore(day string) string {
	at, err := time.Parse("2006-01-02", day)
	if err != nil {
		return day
	}
	before := at.AddDate(0, 0, -1).Format("2006-01-02")
	if strings.HasPrefix(before, "-") {
		return "" // before the first day there is; nothing begins earlier, so nothing ends then
	}
	return before
}

// rootOfLeaves is the root of the tree of some values, in base64.
func rootOfLeaves(values []object) string {
	var leaves []tlog.Hash
	for _, value := range values {
		leaves = append(leaves, tlog.RecordHash(canonical(value)))
	}
	return encodeHash(rootOf(leaves))
}

// stateFollows: a state is the one of the periods and providers.
func stateFollows(state object, periods, providers []object) bool {
	return numberOf(state, "timeline_size") == int64(len(periods)) &&
		numberOf(state, "providers_size") == int64(len(providers)) &&
		textOf(state, "timeline_root") == rootOfLeaves(periods) &&
		textOf(state, "providers_root") == rootOfLeaves(providers)
}
