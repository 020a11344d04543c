package main

import (
	"strings"
	"testing"
)

func TestManyAlarmsOfOneCodeHideNoOther(t *testing.T) {
	var told alarms
	for i := 0; i < 100; i++ {
		told.raise("time_backwards", "entry %d", i)
	}
	told.raise("log_forked", "at size 7")
	text := told.Error()
	if strings.Count(text, "time_backwards: entry") != maxOfCode || !strings.Contains(text, "log_forked: at size 7") ||
		strings.Count(text, "time_backwards: 80 more were found and are not shown") != 1 || strings.Count(text, "\n") != maxOfCode+1 {
		t.Error(text)
	}
}
