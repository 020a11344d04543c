package main

import (
	"math/big"
	"sort"
	"strings"
)

var (
	batchMembers   = []string{"results", "hashes", "releases", "state", "log", "summary", "as_of"}
	refusedMembers = []string{"type", "title", "status", "code", "detail", "request_id", "agent_hint", "errors", "instance"}
	isHashes       = listOf(20000, isHash)
	isUnits        = integerFrom(1)
	isBilled       = nullOr(isMoney)
)

// A batch is what its lines share, and what they come to so far.
type batch struct {
	body   object
	hashes []any
	facts  *facts
	v      *verdict
	proved int
	priced int
	totals map[string]*total
}

type total struct {
	lines             int
	low, high, billed *big.Int // in ten thousandths; billed is nil if one of the lines has none
}

func (f *facts) addBatch(body object, questions []any, v *verdict) error {
	if !onlyAmong(body, batchMembers) {
		return reason("not_recognised")
	}
	if shared, there := body["hashes"]; there && !isHashes(shared) {
		return reason("proof_malformed")
	}
	results := body["results"].([]any)
	if questions != nil && len(questions) != len(results) {
		return errAnother
	}
	if _, err := f.addShared(body); err != nil {
		return err
	}
	b := &batch{body: body, facts: f, v: v, totals: map[string]*total{}}
	b.hashes, _ = body["hashes"].([]any)
	for i, item := range results {
		var question object
		if questions != nil {
			// What is no object is a question without meaning, not one that was not asked.
			if question, _ = questions[i].(object); question == nil {
				question = object{}
			}
		}
		if err := b.line(item, question); err != nil {
			return at(i, err)
		}
	}
	if b.proved == 0 {
		return reason("nothing_proved")
	}
	if !same(body["summary"], b.summary(len(results))) {
		return reason("body_contradicts_proof")
	}
	return nil
}

func (b *batch) line(item any, question object) error {
	line, _ := item.(object) // what is no object has no members
	units, billed := any(1.0), line["billed"]
	if has(line, "units") {
		units = line["units"]
	}
	if !isUnits(units) || !isBilled(billed) {
		return reason("not_recognised")
	}
	if line["status"] == 200.0 {
		return b.pricedLine(line, question, int64(units.(float64)))
	}
	if !onlyAmong(line, []string{"status", "problem", "units", "billed"}) {
		return reason("not_recognised")
	}
	problem, ok := line["problem"].(object)
	if !ok {
		problem = object{}
	}
	if line["status"] == 400.0 {
		if !onlyAmong(problem, refusedMembers) {
			return reason("not_recognised")
		}
		b.v.refused++
		return nil
	}
	expanded, err := b.expand(problem)
	if err != nil {
		return err
	}
	if !isText(expanded["code"]) {
		return reason("not_recognised")
	}
	b.proved++
	_, err = b.facts.addLookup(expanded, question, b.v)
	return err
}

func (b *batch) pricedLine(line, question object, units int64) error {
	expanded, err := b.expand(without(line, "status", "units", "billed", "extended"))
	if err != nil {
		return err
	}
	row, ok := expanded["row"].(object)
	if !ok || has(row, "code") || has(expanded, "problem") {
		return reason("not_recognised")
	}
	body := without(expanded, "row")
	for name, member := range row {
		if has(expanded, name) { // called row too: a refusal with its row is no price
			return reason("not_recognised")
		}
		body[name] = member
	}
	shown, err := b.facts.addLookup(body, question, b.v)
	if err != nil {
		return err
	}
	if shown.own == nil {
		return reason("body_contradicts_proof")
	}
	price, ok := shown.own.row["price"].(object)
	if !ok {
		return reason("body_contradicts_proof")
	}
	if adjusted := body["adjustment"]; adjusted != nil { // null is none
		modifier := textOf(adjusted, "modifier")
		if adjustings[modifier] == nil {
			return reason("body_contradicts_proof")
		}
		made := adjustment(modifier, shown.own.row)
		if made == nil || !same(adjusted, made) {
			return reason("body_contradicts_proof")
		}
		price = made
	}
	low, high, extended := extend(price, units)
	if !same(line["extended"], extended) {
		return reason("body_contradicts_proof")
	}
	b.proved++
	b.priced++
	b.count(textOf(shown.own.row, "basis"), low, high, textOf(line, "billed"))
	return nil
}

// extend is what a line comes to, by a price or an adjustment.
func extend(price object, units int64) (low, high *big.Int, extended object) {
	times := func(name string) *big.Int {
		return new(big.Int).Mul(tenThousandths(textOf(price, name)), big.NewInt(units))
	}
	if has(price, "amount") {
		low = times("amount")
		return low, low, object{"amount": plainAmount(low)}
	}
	low, high = times("low"), times("high")
	return low, high, object{"low": plainAmount(low), "high": plainAmount(high)}
}

// plainAmount has two decimals, and three or four where these are not zero.
func plainAmount(amount *big.Int) string {
	digits := amount.String()
	if len(digits) < 5 {
		digits = strings.Repeat("0", 5-len(digits)) + digits
	}
	point := len(digits) - 4
	return digits[:point] + "." + digits[point:point+2] + strings.TrimRight(digits[point+2:], "0")
}

func (b *batch) count(basis string, low, high *big.Int, billed string) {
	t := b.totals[basis]
	if t == nil {
		t = &total{low: new(big.Int), high: new(big.Int), billed: new(big.Int)}
		b.totals[basis] = t
	}
	t.lines++
	t.low.Add(t.low, low)
	t.high.Add(t.high, high)
	if billed == "" {
		t.billed = nil
	} else if t.billed != nil {
		t.billed.Add(t.billed, tenThousandths(billed))
	}
}

func (b *batch) summary(lines int) object {
	var names []string
	for name := range b.totals {
		names = append(names, name)
	}
	sort.Strings(names)
	totals := []any{}
	for _, name := range names {
		t := b.totals[name]
		entry := object{"basis": name, "lines": float64(t.lines), "low": plainAmount(t.low), "high": plainAmount(t.high), "billed": nil}
		if t.billed != nil {
			entry["billed"] = plainAmount(t.billed)
		}
		totals = append(totals, entry)
	}
	return object{"lines": float64(lines), "priced": float64(b.priced), "totals": totals}
}
