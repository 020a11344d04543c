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

// maxAlarms are told; a log that is all wrong has more of them than anyone reads.
const maxAlarms = 100

func (a *alarms) raise(code, format string, args ...any) {
	if len(*a) < maxAlarms {
		*a = append(*a, alarm{code, fmt.Sprintf(format, args...)})
	}
}

func (a alarms) Error() string {
	lines := make([]string, len(a))
	for i, each := range a {
		lines[i] = each.Error()
	}
	return strings.Join(lines, "\n")
}
