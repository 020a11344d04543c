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

func runVectors(dir string) (agrees bool, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		return false, fmt.Errorf("no vectors in %s", dir)
	}
	sort.Strings(files)
	var total, accepted, refused, wrong, reasons int
	for _, file := range files {
		vectors, err := readVectors(file)
		if err != nil {
			return false, err
		}
		for _, vector := range vectors {
			got, want := runVector(vector), vector["expect"].(object)
			total++
			if got["ok"] == true {
				accepted++
			} else {
				refused++
			}
			if string(canonical(got)) == string(canonical(want)) {
				continue
			}
			word := "DISAGREES"
			if got["ok"] == false && want["ok"] == false {
				word = "REASON"
				reasons++
			} else {
				wrong++
			}
			fmt.Printf("%s %s %q: expected %s, got %s\n", word, filepath.Base(file), textOf(vector, "name"),
				canonical(want), canonical(got))
		}
		fmt.Printf("%s: %d vectors\n", filepath.Base(file), len(vectors))
	}
	fmt.Printf("%d vectors: %d accepted, %d refused, %d disagreements, %d other reasons\n",
		total, accepted, refused, wrong, reasons)
	return wrong == 0 && reasons == 0, nil
}

func readVectors(file string) ([]object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	value, err := readJSON(text)
	if err != nil || textOf(value, "format") != "agent-trust-registry/vectors@v1" {
		return nil, fmt.Errorf("%s is not a file of vectors", file)
	}
	var vectors []object
	items, _ := value.(object)["vectors"].([]any)
	for _, item := range items {
		vector, ok := item.(object)
		if _, expects := vector["expect"].(object); !ok || !expects {
			return nil, fmt.Errorf("%s has a vector without an expectation", file)
		}
		vectors = append(vectors, vector)
	}
	if len(vectors) == 0 {
		return nil, fmt.Errorf("%s has no vectors", file)
	}
	return vectors, nil
}

func runVector(vector object) object {
	input := func(name string) []byte { return []byte(textOf(vector, name)) }
	kind := textOf(vector, "kind")
	if kind == "derivation" {
		row, err := readJSON(input("row"))
		if err == nil {
			err = checkDerivation(row)
		}
		return outcome(err, object{})
	}
	pinned, err := parsePolicy(input("policy"))
	if err != nil || kind == "policy" {
		return policyOutcome(pinned, err)
	}
	switch kind {
	case "body":
		asked, _ := vector["asked"].(object)
		found, err := checkBody(input("body"), pinned, asked)
		if err != nil {
			return outcome(err, nil)
		}
		return outcome(nil, counts(found))
	case "absence":
		proof, err := readJSON(input("proof"))
		if err == nil {
			_, err = checkAbsence(proof, pinned)
		}
		return outcome(err, object{})
	case "checkpoint":
		return checkpointOutcome(openCheckpoint(input("note"), pinned))
	case "changes":
		added, err := checkChanges(input("older"), input("newer"), input("page"), pinned)
		return outcome(err, object{"changes": float64(added)})
	case "growth":
		if path, ok := vector["path"].([]any); ok {
			return outcome(checkGrowthByPath(input("older"), input("newer"), pinned, path), object{})
		}
		tiles, _ := vector["tiles"].(object)
		_, _, err := checkGrowth(input("older"), input("newer"), pinned, func(path string) ([]byte, error) {
			text, there := tiles[path].(string)
			if !there {
				return nil, reason("tile_unavailable")
			}
			data, ok := decodeBase64(text)
			if !ok {
				return nil, reason("tile_malformed")
			}
			return data, nil
		})
		return outcome(err, object{})
	}
	return outcome(reason("unknown kind of vector"), nil)
}

func counts(found []*proved) object {
	count := map[string]float64{}
	for _, each := range found {
		count[each.what]++
	}
	return object{"rows": count["row"], "absences": count["absence"], "entries": count["entry"]}
}

func policyOutcome(p *policy, err error) object {
	if err != nil {
		return outcome(err, nil)
	}
	logs, witnesses := []any{}, []any{}
	for _, log := range p.logs {
		logs = append(logs, log.key.name)
	}
	for _, each := range p.witnesses {
		witnesses = append(witnesses, each.name)
	}
	return outcome(nil, object{"logs": logs, "witnesses": witnesses, "quorum": p.quorum})
}

func checkpointOutcome(opened *head, err error) object {
	if err != nil {
		return outcome(err, nil)
	}
	cosigners := []any{}
	for _, each := range opened.cosigners {
		cosigners = append(cosigners, object{"name": each.name, "seconds": float64(each.seconds)})
	}
	return outcome(nil, object{
		"head":      object{"origin": opened.origin, "size": float64(opened.size), "root": opened.root.String()},
		"cosigners": cosigners,
	})
}
