package main

import (
	"bytes"
	"fmt"
	"strings"
)

var isWithdrawalReason = oneOf("publisher_withdrew", "wrong_source", "loading_fault", "implausible_prices", "operator_decision")

// A registry is what a clone has read of the registry log.
type registry struct {
	entries []object
	periods []object // in force by all of them
}

// readEntries parses what was hashed, and replays the registry log.
func readEntries(texts [][]byte, origin string) (*registry, error) {
	figures := strings.HasSuffix(origin, "/log/figures")
	r := &registry{}
	for i, text := range texts {
		value, err := readJSON(text)
		if err != nil || !bytes.Equal(canonical(value), text) {
			return nil, fmt.Errorf("entry %d is not canonical JSON", i)
		}
		entry, _ := value.(object)
		if figures {
			if !isChange(entry) || numberOf(entry, "seq") != int64(i) {
				return nil, fmt.Errorf("entry %d is not the change of a figure at its place", i)
			}
		} else if !isManifest(entry) && !isMove(entry) && !isState(entry) &&
			!(isWithdrawal(entry) && isWithdrawalReason(entry["reason"])) {
			return nil, fmt.Errorf("entry %d is no manifest, withdrawal, move or state", i)
		}
		r.entries = append(r.entries, entry)
	}
	if figures {
		return r, nil
	}
	return r, r.replay()
}

// replay: ids are unique, every state follows from the entries before it, and the last leaf is a state.
func (r *registry) replay() error {
	ids := map[string]int{}
	periods, providers := []object(nil), []object(nil)
	fresh := false // whether entries came since the rule was last run
	for i, entry := range r.entries {
		if isState(entry) {
			if fresh {
				periods, providers = inForce(r.entries[:i])
				fresh = false
			}
			if !stateFollows(entry, periods, providers) {
				return fmt.Errorf("the state at %d does not follow from the entries before it", i)
			}
			continue
		}
		fresh = true
		if isManifest(entry) {
			id := textOf(entry, "release_id")
			if first, twice := ids[id]; twice {
				return fmt.Errorf("entries %d and %d are both called %s", first, i, id)
			}
			ids[id] = i
		}
	}
	if len(r.entries) > 0 && !isState(r.entries[len(r.entries)-1]) {
		return fmt.Errorf("the last entry is not a state")
	}
	r.periods = periods
	return nil
}
