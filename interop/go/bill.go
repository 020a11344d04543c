package main

import (
	"math/big"
	"sort"
	"strings"
)

// A bill is what the lines of a batch come to: proof.md, "What a line comes to" and "The summary".
type bill struct {
	lines, priced int
	totals        map[string]*total // by basis
}

type total struct {
	lines             int
	low, high, billed *big.Int // in ten thousandths; billed is nil if one of the lines has none
}

func newBill(lines int) *bill { return &bill{lines: lines, totals: map[string]*total{}} }

// add counts a line that has an answer. It is false if the line does not come to what it says.
func (b *bill) add(l *billLine) bool {
	if l.answer.refusal {
		return true
	}
	row := l.answer.own.row
	price := row["price"].(object)
	if given, there := l.line["adjustment"].(object); there {
		price = given // which follows from the row
	}
	stated := row["price"].(object)["per"] != nil || hasFlag(row, "mixed_units")
	ownUnit := row["npi"] != nil && stated        // of a hospital: units do not count it
	if textOf(row, "kind") == "rate" || ownUnit { // it is not the price of a service
		return l.line["extended"] == nil
	}
	low, high, extended := extend(price, int64(l.units))
	if !same(l.line["extended"], extended) {
		return false
	}
	b.count(textOf(row, "basis"), low, high, l.billed)
	return true
}

func hasFlag(row object, name string) bool {
	for _, flag := range row["flags"].([]any) {
		if flag == name {
			return true
		}
	}
	return false
}

// extend is a price or an adjustment times the units.
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

func (b *bill) count(basis string, low, high *big.Int, billed any) {
	b.priced++
	t := b.totals[basis]
	if t == nil {
		t = &total{low: new(big.Int), high: new(big.Int), billed: new(big.Int)}
		b.totals[basis] = t
	}
	t.lines++
	t.low.Add(t.low, low)
	t.high.Add(t.high, high)
	if amount, there := billed.(string); !there {
		t.billed = nil
	} else if t.billed != nil {
		t.billed.Add(t.billed, tenThousandths(amount))
	}
}

func (b *bill) summary() object {
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
	return object{"lines": float64(b.lines), "priced": float64(b.priced), "totals": totals}
}
