package main

import (
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// step is a member of an object, or a place in a list.
type step any

// stepsIn are the ways to every value inside of one.
func stepsIn(value any, way []step, found [][]step) [][]step {
	found = append(found, append([]step{}, way...))
	switch v := value.(type) {
	case object:
		for name, member := range v {
			found = stepsIn(member, append(way, name), found)
		}
	case []any:
		for i, item := range v {
			found = stepsIn(item, append(way, i), found)
		}
	}
	return found
}

// changed is a value in which the one at the end of a way was replaced; the values on the way are copied. A way that
// an earlier change has closed leads nowhere.
func changed(value any, way []step, to func(any) any) any {
	if len(way) == 0 {
		return to(value)
	}
	switch v := value.(type) {
	case object:
		name, ok := way[0].(string)
		if !ok || !has(v, name) {
			return v
		}
		other := without(v)
		if other[name] = changed(v[name], way[1:], to); other[name] == any(gone) {
			delete(other, name)
		}
		return other
	case []any:
		i, ok := way[0].(int)
		if !ok || i >= len(v) {
			return v
		}
		other := append([]any{}, v...)
		if other[i] = changed(v[i], way[1:], to); other[i] == any(gone) {
			other = append(other[:i], other[i+1:]...)
		}
		return other
	}
	return value
}

var gone = new(int)

// mutant is a vector in which up to three values were replaced, removed, or put in place of another.
func mutant(rng *rand.Rand, vector object, inside []string) object {
	whole := without(vector, "expect")
	for _, name := range inside { // what is JSON inside of a text
		if value, err := readJSON([]byte(textOf(whole, name))); err == nil {
			whole[name] = value
		}
	}
	ways := stepsIn(whole, nil, nil)[1:]
	others := []any{nil, 7.0, -1.0, 0.5, float64(maxSafe), "", "x", []any{}, object{}, []any{nil}, true, "national", gone}
	var result any = whole
	for n := rng.Intn(3); n >= 0; n-- {
		other := others[rng.Intn(len(others))]
		if rng.Intn(3) == 0 {
			changed(whole, ways[rng.Intn(len(ways))], func(value any) any { other = value; return value })
		}
		result = changed(result, ways[rng.Intn(len(ways))], func(any) any { return other })
	}
	mutated := result.(object)
	for _, name := range inside {
		if value, there := mutated[name]; there && !isText(value) {
			mutated[name] = string(canonical(value))
		}
	}
	return mutated
}

// TestMutatedVectors: whatever is done to good vectors, the verifier says something, and soon. RUNS asks for more.
func TestMutatedVectors(t *testing.T) {
	files, _ := filepath.Glob("../../docs/spec/vectors/*.json")
	var good []object
	for _, file := range files {
		vectors, err := readVectors(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, vector := range vectors {
			if vector["expect"].(object)["ok"] == true {
				good = append(good, vector)
			}
		}
	}
	runs, err := strconv.Atoi(os.Getenv("RUNS"))
	if err != nil {
		runs = 1000
	}
	rng := rand.New(rand.NewSource(int64(runs)))
	accepted, slowest := 0, time.Duration(0)
	for i := 0; i < runs; i++ {
		vector := good[rng.Intn(len(good))]
		each := mutant(rng, vector, []string{"body", "row", "proof", "page"})
		began := time.Now()
		func() {
			defer func() {
				if said := recover(); said != nil {
					t.Fatalf("%q, run %d: %v\n%s", textOf(vector, "name"), i, said, canonical(each))
				}
			}()
			if got := runVector(each); got["ok"] == true {
				accepted++
			}
		}()
		if took := time.Since(began); took > slowest {
			slowest = took
		}
	}
	if slowest > 5*time.Second {
		t.Errorf("one took %v", slowest)
	}
	t.Logf("%d of %d accepted, the slowest in %v", accepted, runs, slowest)
}
