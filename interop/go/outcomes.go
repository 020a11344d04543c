package main

import "golang.org/x/mod/sumdb/tlog"

func rowOutcome(text []byte) object {
	value, err := readJSON(text)
	if err != nil || !isRow(value) || len(canonical(value)) > maxLeaf { // a row by itself is only ever malformed
		return outcome(reason("row_malformed"), nil)
	}
	return outcome(nil, object{"key": keyOf(value.(object)), "leaf_hash": leafHash(value)})
}

func setOutcome(vector object) object {
	items, _ := vector["leaves"].([]any)
	var places []int64
	var leaves []tlog.Hash
	for _, item := range items {
		leaf, decoded := decodeHash(textOf(item, "hash"))
		if given, ok := item.(object); !ok || !decoded || !isCount(given["index"]) {
			return outcome(reason("row_not_in_release"), nil)
		}
		places, leaves = append(places, numberOf(item, "index")), append(leaves, leaf)
	}
	if !isCount(vector["size"]) ||
		!setLeadsTo(textOf(vector, "root"), numberOf(vector, "size"), places, leaves, textOf(vector, "hashes")) {
		return outcome(reason("row_not_in_release"), nil)
	}
	return outcome(nil, object{})
}

func timelineOutcome(texts any) object {
	items, _ := texts.([]any)
	var entries []object
	for _, item := range items {
		text, _ := item.(string)
		value, err := readJSON([]byte(text))
		if err != nil {
			return outcome(err, nil)
		}
		entry, _ := value.(object)
		entries = append(entries, entry)
	}
	periods, providers := inForce(entries)
	return outcome(nil, object{
		"periods":        listOfObjects(periods),
		"providers":      listOfObjects(providers),
		"timeline_root":  rootOfLeaves(periods),
		"providers_root": rootOfLeaves(providers),
	})
}

// replayOutcome: what is no JSON is no entry either.
func replayOutcome(texts any) object {
	items, _ := texts.([]any)
	var entries []any
	for _, item := range items {
		text, _ := item.(string)
		entry, _ := readJSON([]byte(text))
		entries = append(entries, entry)
	}
	faults := []any{}
	for _, place := range replayFigures(entries) {
		faults = append(faults, float64(place))
	}
	return outcome(nil, object{"faults": faults})
}

func registryReplayOutcome(texts any) object {
	items, _ := texts.([]any)
	r := newRegistry()
	for i, item := range items {
		text, _ := item.(string)
		r.add(i, []byte(text))
	}
	faults := []any{}
	for _, each := range r.faults {
		faults = append(faults, object{"entry": float64(each.entry), "code": each.code})
	}
	return outcome(nil, object{"faults": faults})
}

func listOfObjects(values []object) []any {
	list := []any{}
	for _, value := range values {
		list = append(list, value)
	}
	return list
}

func bodyOutcome(vector object, pinned *policy) object {
	var what asked
	given, _ := vector["asked"].(object)
	what.question, _ = given["question"].(object)
	what.questions, _ = given["questions"].([]any)
	what.page, _ = given["page"].(object)
	what.sheet, _ = given["sheet"].(object)
	what.releases, _ = given["releases"].(object)
	what.coverage, _ = given["coverage"].(object)
	what.history, _ = given["history"].(object)
	what.figures, _ = given["figures"].(bool)
	var age limits
	if text, there := vector["not_before"].(string); there {
		age.notBefore = &text
	}
	if text, there := vector["not_after"].(string); there {
		age.notAfter = &text
	}
	v, err := verifyBody([]byte(textOf(vector, "body")), pinned, what, age)
	if err != nil {
		return outcome(err, nil)
	}
	found := object{"rows": float64(len(v.rows)), "entries": float64(v.entries), "refused": float64(v.refused)}
	if v.page != nil {
		found["page"] = v.page
	}
	return outcome(nil, found)
}

func growthOutcome(vector object, pinned *policy) object {
	older, newer := []byte(textOf(vector, "older")), []byte(textOf(vector, "newer"))
	if path, ok := vector["path"].([]any); ok {
		return outcome(checkGrowthByPath(older, newer, pinned, path), object{})
	}
	tiles, _ := vector["tiles"].(object)
	_, _, err := checkGrowth(older, newer, pinned, func(path string) ([]byte, error) {
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

func policyOutcome(p *policy, err error) object {
	if err != nil {
		return outcome(err, nil)
	}
	logs, retired, witnesses := []any{}, []any{}, []any{}
	for _, log := range p.logs {
		logs = append(logs, log.key.name)
	}
	for _, each := range p.retired {
		retired = append(retired, object{"name": each.key.name, "size": float64(each.size)})
	}
	for _, each := range p.witnesses {
		witnesses = append(witnesses, each.name)
	}
	return outcome(nil, object{"logs": logs, "retired": retired, "witnesses": witnesses, "quorum": p.quorum})
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
