package main

import (
	"bytes"
	"errors"
	"strings"
	"time"
)

// readEntries is steps 3, 4 and 6 of a round: each entry is there, was hashed, and follows from those before it.
func (c *clone) readEntries() error {
	take, finish := c.replayRegistry()
	if strings.HasSuffix(c.head.origin, "/log/figures") {
		take, finish = c.replayFigures()
	}
	err := readBundles(c.fetch.tiles(c.base), c.leaves, func(place int, entry []byte) {
		c.entries++
		take(place, entry)
	})
	var wrong entryError
	if errors.As(err, &wrong) {
		code := "entry_altered"
		if wrong.missing {
			code = "entry_missing"
		}
		return alarms{{code, err.Error()}}
	}
	if err == nil {
		finish()
	}
	return err
}

func (c *clone) replayRegistry() (take func(int, []byte), finish func()) {
	c.read = newRegistry()
	return c.read.add, func() {
		for i := len(c.read.faults) - 1; i >= 0; i-- { // the newest first
			c.alarms.raise(c.read.faults[i].code, "entry %d", c.read.faults[i].entry)
		}
		if c.read.last != nil && !isState(c.read.last) {
			c.alarms.raise("state_missing", "the last entry is not a state")
		}
		c.checkAge()
	}
}

// checkAge: the newest state is neither older than is asked for nor ahead of our clock.
func (c *clone) checkAge() {
	if c.options.maxAge == 0 || c.read.last == nil || !isState(c.read.last) {
		return
	}
	recorded := textOf(c.read.last, "recorded_at")
	if c.now.Sub(timeOf(recorded)) > c.options.maxAge {
		c.alarms.raise("head_stale", "the newest state is of %s", recorded)
	}
	c.checkFuture(recorded)
}

func (c *clone) checkFuture(recorded string) {
	if timeOf(recorded).Sub(c.now) > 10*time.Minute {
		c.alarms.raise("head_from_future", "the newest state is of %s", recorded)
	}
}

func (c *clone) replayFigures() (take func(int, []byte), finish func()) {
	unknown := map[int64]bool{}
	take = func(place int, text []byte) {
		value, err := readJSON(text)
		if err != nil || !bytes.Equal(canonical(value), text) || !isChange(value) && !isFigureState(value) {
			c.alarms.raise("entry_unknown", "entry %d", place)
			unknown[int64(place)] = true
			value = nil
		}
		c.changes = append(c.changes, value)
	}
	return take, func() {
		faults := replayFigures(c.changes)
		for i := len(faults) - 1; i >= 0; i-- { // the newest first
			if faults[i] == int64(len(c.changes)) {
				c.alarms.raise("figures_wrong", "the last entry is not a state")
			} else if !unknown[faults[i]] {
				c.alarms.raise("figures_wrong", "entry %d does not follow from those before it", faults[i])
			}
		}
		for i := len(c.changes) - 1; i >= 0; i-- {
			if isFigureState(c.changes[i]) {
				c.figuresOf = textOf(c.changes[i], "recorded_at")
				c.checkFuture(c.figuresOf)
				break
			}
		}
	}
}
