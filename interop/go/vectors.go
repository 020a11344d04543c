package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
)

// An outcome in the form of a vector's expect: ok and what was found, or a reason.
func outcome(err error, found object) object {
	// Which item of a list it was stands beside the reason.
	if why := reason(""); errors.As(err, &why) {
		return object{"ok": false, "reason": string(why)}
	}
	if err != nil {
		return object{"ok": false, "reason": err.Error()}
	}
	found["ok"] = true
	return found
}

// tally counts what became of the vectors.
type tally struct{ total, accepted, refused, wrong, reasons int }

func runVectors(dir string) (agrees bool, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		return false, fmt.Errorf("no vectors in %s", dir)
	}
	sort.Strings(files)
	var t tally
	unknown := map[string]int{}
	for _, file := range files {
		vectors, err := readVectors(file)
		if err != nil {
			return false, err
		}
		for _, vector := range vectors {
			got := runVector(vector)
			if got == nil {
				unknown[textOf(vector, "kind")]++
				continue
			}
			t.count(filepath.Base(file), vector, got)
		}
		fmt.Printf("%s: %d vectors\n", filepath.Base(file), len(vectors))
	}
	for kind, count := range unknown {
		fmt.Printf("not run: %d vectors of kind %q\n", count, kind)
	}
	fmt.Printf("%d vectors: %d accepted, %d refused, %d disagreements, %d other reasons\n",
		t.total, t.accepted, t.refused, t.wrong, t.reasons)
	return t.wrong == 0 && t.reasons == 0, nil
}

func (t *tally) count(file string, vector, got object) {
	want := vector["expect"].(object)
	t.total++
	if got["ok"] == true {
		t.accepted++
	} else {
		t.refused++
	}
	agrees := true
	for name, member := range want { // a vector need not expect all that is found
		found, there := got[name]
		agrees = agrees && there && same(found, member)
	}
	if agrees {
		return
	}
	word := "DISAGREES"
	if got["ok"] == false && want["ok"] == false {
		word = "REASON"
		t.reasons++
	} else {
		t.wrong++
	}
	fmt.Printf("%s %s %q: expected %s, got %s\n", word, file, textOf(vector, "name"), canonical(want), canonical(got))
}

// readVectors reads a list, or an object with the list in its member vectors.
func readVectors(file string) ([]object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	value, err := readJSON(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a file of vectors", file)
	}
	items, isList := value.([]any)
	if whole, ok := value.(object); ok {
		items, isList = whole["vectors"].([]any)
	}
	if !isList || len(items) == 0 {
		return nil, fmt.Errorf("%s has no vectors", file)
	}
	var vectors []object
	for _, item := range items {
		vector, ok := item.(object)
		if _, expects := vector["expect"].(object); !ok || !expects {
			return nil, fmt.Errorf("%s has a vector without an expectation", file)
		}
		vectors = append(vectors, vector)
	}
	return vectors, nil
}

// runVector is nil for a kind that is not known.
func runVector(vector object) object {
	input := func(name string) []byte { return []byte(textOf(vector, name)) }
	kind := textOf(vector, "kind")
	switch kind {
	case "json":
		value, err := readJSON(input("text"))
		if err != nil {
			return outcome(err, nil)
		}
		return outcome(nil, object{"canonical": string(canonical(value))})
	case "derivation":
		row, err := readJSON(input("row"))
		if err == nil {
			err = checkDerivation(row)
		}
		return outcome(err, object{})
	case "row":
		return rowOutcome(input("row"))
	case "set":
		return setOutcome(vector)
	case "timeline":
		return timelineOutcome(vector["entries"])
	case "registry-replay":
		return registryReplayOutcome(vector["entries"])
	case "replay":
		return replayOutcome(vector["entries"])
	case "body", "absence", "checkpoint", "policy", "growth", "changes":
	case "lookup":
		if !has(vector, "body") {
			return nil
		}
		kind = "body"
	default:
		return nil
	}
	pinned, err := parsePolicy(input("policy"))
	if err != nil || kind == "policy" {
		return policyOutcome(pinned, err)
	}
	switch kind {
	case "body":
		return bodyOutcome(vector, pinned)
	case "absence":
		proof, err := readJSON(input("proof"))
		if err == nil {
			err = newFacts(pinned).addAbsence(proof)
		}
		return outcome(err, object{})
	case "checkpoint":
		return checkpointOutcome(openCheckpoint(input("note"), pinned))
	case "changes":
		added, err := checkChanges(input("older"), input("newer"), input("page"), pinned)
		return outcome(err, object{"changes": float64(added)})
	}
	return growthOutcome(vector, pinned)
}
