package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// judge reads cases, one a line, each a vector without an expectation, and writes the outcome of each as a line of
// canonical JSON. So a program can ask about many bodies without starting this one again for each.
func judge(in io.Reader, out io.Writer) error {
	lines, answers := bufio.NewReader(in), bufio.NewWriter(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			fmt.Fprintf(answers, "%s\n", canonical(judgeLine(line)))
		}
		if lines.Buffered() == 0 || err != nil { // whoever asked may wait for the answer before asking again
			if failed := answers.Flush(); failed != nil {
				return failed
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// judgeLine never panics: a case on which the verifier does is one that someone wants to see.
func judgeLine(line []byte) (got object) {
	defer func() {
		if said := recover(); said != nil {
			got = object{"fault": fmt.Sprint(said)}
		}
	}()
	value, err := readJSON(line)
	if err != nil {
		return object{"fault": "not a case"}
	}
	given, _ := value.(object)
	if got = runVector(given); got == nil {
		return object{"fault": "not a kind of case"}
	}
	return got
}
