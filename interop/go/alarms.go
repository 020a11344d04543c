package main

import (
	"fmt"
	"strings"
)

// An alarm is what a monitor tells, by its code and in a sentence (monitor.md, A round).
type alarm struct{ code, sentence string }

func (a alarm) Error() string { return a.code + ": " + a.sentence }

// alarms are all that were found. It is an error of what was read, not of reading it.
type alarms []alarm

// maxOfCode alarms of each code are told: a log that is all wrong has more than anyone reads, and many of one code must
// not hide another.
const maxOfCode = 20

func (a *alarms) raise(code, format string, args ...any) {
	*a = append(*a, alarm{code, fmt.Sprintf(format, args...)})
}

func (a alarms) Error() string {
	var lines []string
	found := map[string]int{}
	for _, each := range a {
		if found[each.code]++; found[each.code] <= maxOfCode {
			lines = append(lines, each.Error())
		}
	}
	for _, each := range a {
		if more := found[each.code] - maxOfCode; more > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d more were found and are not shown", each.code, more))
			delete(found, each.code)
		}
	}
	return strings.Join(lines, "\n")
}
