package main

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// A registry is what a reader of the registry log knows after some entries, and which of them do not follow from those
// before them (monitor.md, Replay).
type registry struct {
	entries  []placed // those that are entries of this log
	timeline *timeline
	last     object    // the entry before, or nil
	latest   time.Time // the latest time of any entry before
	faults   []fault
}

type placed struct {
	place int
	value object
}

// A fault of an entry, by its place in the log.
type fault struct {
	entry int
	code  string
}

func newRegistry() *registry { return &registry{timeline: newTimeline()} }

func isRegistryEntry(value any) bool {
	return isManifest(value) || isWithdrawal(value) || isMove(value) || isState(value)
}

// add takes the next entry as it stands in the log. One with a fault still counts for all that follows.
func (r *registry) add(place int, text []byte) {
	found := func(code string) { r.faults = append(r.faults, fault{place, code}) }
	value, err := readJSON(text)
	if err != nil || !isRegistryEntry(value) || !bytes.Equal(canonical(value), text) {
		found("entry_unknown")
		return
	}
	entry := value.(object)
	now := timeOf(textOf(entry, "recorded_at"))
	if r.last != nil && isBehind(now, r.latest) {
		found("time_backwards")
	}
	if r.last == nil || now.After(r.latest) {
		r.latest = now
	}
	if !isState(entry) && (r.last == nil || !isState(r.last)) {
		found("state_missing")
	}
	switch {
	case isManifest(entry):
		r.checkManifest(entry, found)
	case isWithdrawal(entry):
		id := textOf(entry, "release_id")
		if r.timeline.withdrawn[id] || !r.timeline.hasRelease(textOf(entry, "chart"), id) {
			found("withdrawal_unfounded")
		}
	case isMove(entry):
		if !r.names(textOf(entry, "chart"), entry["npi"]) {
			found("move_unfounded")
		}
	default:
		repeats := r.last != nil && same(without(r.last, "recorded_at"), without(entry, "recorded_at"))
		if periods, providers := r.timeline.inForce(); !repeats && !stateFollows(entry, periods, providers) {
			found("state_wrong")
		}
	}
	r.timeline.add(entry)
	r.entries, r.last = append(r.entries, placed{place, entry}), entry
}

// isBehind: a time is so much before another that no clock in use is the reason. Sums of times, unlike differences,
// do not overflow.
func isBehind(now, latest time.Time) bool { return now.Add(5 * time.Second).Before(latest) }

func (r *registry) checkManifest(manifest object, found func(string)) {
	before := r.timeline.published[textOf(manifest, "chart")]
	for _, each := range before {
		// An id has its chart in it, so no release of another chart can have the same.
		if each.manifest["release_id"] == manifest["release_id"] {
			found("release_id_reused")
			return
		}
	}
	for _, each := range before {
		if each.manifest["edition"] == manifest["edition"] && revisionOf(each.manifest) > revisionOf(manifest) {
			found("revision_out_of_order")
			break
		}
	}
	if manifest["supersedes"] != r.predecessor(manifest) {
		found("supersedes_wrong")
	}
}

// revisionOf is the number at the end of the id.
func revisionOf(manifest object) int {
	id := textOf(manifest, "release_id")
	number, _ := strconv.Atoi(id[strings.LastIndex(id, ":")+1:])
	return number
}

// predecessor is the id of the release that a manifest takes the place of or comes after, or nil.
func (r *registry) predecessor(manifest object) any {
	last := map[string]int{} // by edition
	releases := r.timeline.published[textOf(manifest, "chart")]
	for i, each := range releases {
		if !r.timeline.withdrawn[textOf(each.manifest, "release_id")] {
			last[textOf(each.manifest, "edition")] = i
		}
	}
	if same, there := last[textOf(manifest, "edition")]; there {
		return releases[same].manifest["release_id"]
	}
	var found object
	for i, each := range releases {
		at, there := last[textOf(each.manifest, "edition")]
		if from := textOf(each.manifest, "effective_from"); there && at == i &&
			from <= textOf(manifest, "effective_from") && from >= textOf(found, "effective_from") {
			found = each.manifest
		}
	}
	return found["release_id"]
}

// names: a release of the chart that was not withdrawn names the NPI.
func (r *registry) names(chart string, npi any) bool {
	for _, each := range r.timeline.published[chart] {
		named, _ := each.manifest["providers"].([]any)
		for _, other := range named {
			if other == npi && !r.timeline.withdrawn[textOf(each.manifest, "release_id")] {
				return true
			}
		}
	}
	return false
}
