package main

import (
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

const entryProofLine = "c2sp.org/tlog-proof@v1"

// checkEntryProof checks a C2SP tlog-proof of an entry as it stands in its log (log.md, Proof of an entry).
func checkEntryProof(entry []byte, proof string, pinned *policy) (index int64, opened *head, err error) {
	head, checkpoint, parted := strings.Cut(proof, "\n\n")
	lines := strings.Split(head, "\n")
	if !parted || len(lines) < 2 || len(lines) > 2+63 || lines[0] != entryProofLine {
		return 0, nil, reason("proof_malformed")
	}
	number := strings.TrimPrefix(lines[1], "index ")
	index, ok := parseSize(number)
	if !ok || number == lines[1] {
		return 0, nil, reason("proof_malformed")
	}
	var path []tlog.Hash
	for _, line := range lines[2:] {
		hash, ok := decodeHash(line)
		if !ok {
			return 0, nil, reason("proof_malformed")
		}
		path = append(path, hash)
	}
	if opened, err = openCheckpoint([]byte(checkpoint), pinned); err != nil {
		return 0, nil, err
	}
	if tlog.CheckRecord(path, opened.size, opened.root, index, tlog.RecordHash(entry)) != nil {
		return 0, nil, reason("entry_not_in_log")
	}
	return index, opened, nil
}

// entry takes a file with the bytes of an entry, and its proof as a file or an address.
func (c *command) entry(name, proof string) error {
	text, err := c.fetch.open(name)
	if err != nil {
		return err
	}
	given, err := c.fetch.open(proof)
	if err != nil {
		return err
	}
	index, opened, err := checkEntryProof(text, string(given), c.pinned)
	if err == nil {
		fmt.Printf("ok\nentry %d of %s, whose size is %d\n", index, opened.origin, opened.size)
	}
	return err
}
