package main

import (
	"sort"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// inForce replays the rule of log.md over the entries before a state: the periods and the providers, sorted.
func inForce(entries []object) (periods, providers []object) {
	withdrawn := map[string]bool{}
	for _, entry := range entries {
		if textOf(entry, "schema") == "price-withdrawal/2" {
			withdrawn[textOf(entry, "release_id")] = true
		}
	}
	releases := map[string][]object{}      // by chart, in the order of the log
	naming := map[string]map[string]bool{} // by NPI, the charts that have named it so far
	belongs, moved := map[string]string{}, map[string]string{}
	for _, entry := range entries {
		chart := textOf(entry, "chart")
		switch textOf(entry, "schema") {
		case "price-release/2":
			if withdrawn[textOf(entry, "release_id")] {
				continue
			}
			releases[chart] = append(releases[chart], entry)
			named, _ := entry["providers"].([]any)
			for _, each := range named {
				npi, _ := each.(string)
				if naming[npi] == nil {
					naming[npi], belongs[npi] = map[string]bool{}, chart
				}
				naming[npi][chart] = true
			}
		case "provider-move/1":
			if npi := textOf(entry, "npi"); naming[npi][chart] {
				moved[npi] = chart
			}
		}
	}
	for npi, chart := range belongs {
		if moved[npi] != "" {
			chart = moved[npi]
		}
		providers = append(providers, object{"npi": npi, "chart": chart})
	}
	sort.Slice(providers, func(i, j int) bool { return textOf(providers[i], "npi") < textOf(providers[j], "npi") })
	return periodsOf(releases), providers
}

// periodsOf is steps 2 and 3: of each edition the last revision counts, and then of each first day the last release.
func periodsOf(releases map[string][]object) (periods []object) {
	counts, keys := map[string]object{}, []string{} // by the key of the period
	for chart, all := range releases {
		last := map[string]int{} // by edition
		for i, entry := range all {
			last[textOf(entry, "edition")] = i
		}
		for i, entry := range all {
			if last[textOf(entry, "edition")] == i {
				counts[chart+"|"+textOf(entry, "effective_from")] = entry
			}
		}
	}
	for key := range counts {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for i, key := range keys {
		entry := counts[key]
		from, to := textOf(entry, "effective_from"), textOf(entry, "effective_to")
		if i+1 < len(keys) {
			next := counts[keys[i+1]]
			if ends := dayBefore(textOf(next, "effective_from")); next["chart"] == entry["chart"] && ends < to {
				to = ends
			}
		}
		periods = append(periods, object{"chart": entry["chart"], "from": from, "to": to, "release": leafHash(entry)})
	}
	return periods
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
