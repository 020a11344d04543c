package main

// expand puts back what the lines of a batch share, and leaves what was read as it is.
func (b *batch) expand(from object) (object, error) {
	expanded := without(from)
	for _, name := range []string{"row", "place"} {
		value, there := from[name]
		if !there {
			continue
		}
		row, ok := value.(object)
		if !ok {
			return nil, reason("row_malformed")
		}
		expanded[name] = b.expandRow(row)
	}
	if value, there := from["because"]; there {
		because, ok := b.expandBecause(value)
		if !ok {
			return nil, reason("proof_malformed")
		}
		expanded["because"] = because
	}
	return expanded, nil
}

// expandRow leaves a proof of any other form as it is: it will be found malformed, if it is.
func (b *batch) expandRow(row object) object {
	if !isSharedProof(row["proof"]) {
		return row
	}
	proof := row["proof"].(object)
	path, ok := b.path(proof["path"])
	if !ok {
		return row
	}
	expanded := without(row)
	expanded["proof"] = nil
	releases := b.body["releases"].([]any)
	if place := numberOf(proof, "release"); place < int64(len(releases)) {
		shared := releases[place].(object)
		inForce := without(shared["in_force"].(object))
		inForce["state"] = b.body["state"]
		expanded["proof"] = object{
			"type":     "agent-trust-registry/row-proof@v2",
			"row":      object{"index": proof["index"], "leaf_hash": proof["leaf_hash"], "path": path},
			"release":  shared["release"],
			"in_force": inForce,
			"log":      b.body["log"],
		}
	}
	return expanded
}

func (b *batch) expandBecause(value any) (object, bool) {
	given, ok := value.(object)
	items, isList := given["rows"].([]any)
	if !ok || !isList {
		return nil, false
	}
	rows := []any{}
	for _, item := range items {
		row, ok := item.(object)
		if !ok {
			return nil, false
		}
		path := []any{}
		if row["path"] != nil {
			if path, ok = b.path(row["path"]); !ok {
				return nil, false
			}
		}
		row = without(row)
		row["path"] = path
		rows = append(rows, row)
	}
	because := without(given)
	because["rows"] = rows
	for _, name := range []string{"releases", "state", "log"} {
		because[name] = b.body[name]
	}
	return because, true
}

// path is written as places in the hashes of the body.
func (b *batch) path(value any) ([]any, bool) {
	places, ok := value.([]any)
	if !ok {
		return nil, false
	}
	path := []any{}
	for _, each := range places {
		if !isCount(each) || each.(float64) >= float64(len(b.hashes)) {
			return nil, false
		}
		path = append(path, b.hashes[int(each.(float64))])
	}
	return path, true
}
