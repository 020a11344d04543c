package main

import (
	"errors"
	"fmt"
	"math/rand"
	"net/url"
	"os"
	"strings"
	"time"
)

// tolerated is how long caches may keep an answer (monitor.md, A round, step 7).
const tolerated = 15 * time.Minute

// service is the address that the logs are below.
func (c *clone) service() string { return strings.TrimSuffix(c.logs(), "/log") }

// checkAnswers is step 7: answers of the service, and answers that others received, stand under the log that was read.
func (c *clone) checkAnswers() error {
	for _, name := range c.options.answers {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		c.checkAnswer(name, text, asked{}, "answer_unverified")
	}
	switch {
	case c.options.ask == 0:
	case strings.HasSuffix(c.head.origin, "/log/figures"):
		c.askFigures()
	case c.read != nil:
		c.askQuestions()
	}
	return nil
}

// askFigures: the figures are those after the last release that every cache has, and not of a time to come.
func (c *clone) askFigures() {
	address := c.service() + "/api/figures"
	v, body := c.getAnswer(address, asked{figures: true}, "answer_unverified")
	if v == nil {
		return
	}
	recorded := textOf(body["proof"].(object)["state"], "recorded_at")
	c.checkFuture(recorded)
	if c.figuresOf == "" { // entries were not read
		c.figuresOf = recorded
	}
	for place, entry := range c.changes {
		if int64(place) >= v.opened.size && isFigureState(entry) && c.now.Sub(timeOf(textOf(entry, "recorded_at"))) > tolerated {
			c.alarms.raise("answer_stale", "%s: of size %d", address, v.opened.size)
			return
		}
	}
}

// askQuestions asks about some releases in force, chosen at random, about the one withdrawn last, and with a token for a
// page of rows.
func (c *clone) askQuestions() {
	byID, byHash := map[string]object{}, map[string]object{}
	for _, all := range c.read.timeline.published {
		for _, each := range all {
			byID[textOf(each.manifest, "release_id")], byHash[each.id] = each.manifest, each.manifest
		}
	}
	random := rand.New(rand.NewSource(c.now.UnixNano()))
	periods, _ := c.read.timeline.inForce()
	random.Shuffle(len(periods), func(i, j int) { periods[i], periods[j] = periods[j], periods[i] })
	for i, period := range periods {
		if i == c.options.ask {
			break
		}
		c.askAbout(byHash[textOf(period, "release")], textOf(period, "to"), random)
	}
	for i := len(c.read.entries) - 1; i >= 0; i-- {
		if entry := c.read.entries[i].value; isWithdrawal(entry) {
			if manifest := byID[textOf(entry, "release_id")]; manifest != nil {
				c.askAbout(manifest, textOf(manifest, "effective_to"), random)
			}
			break
		}
	}
	if len(c.fetch.header) > 0 {
		today := c.now.UTC().Format("2006-01-02")
		c.getAnswer(c.service()+"/api/registry?limit=200&as_of="+today, asked{page: object{"as_of": today}}, "page_unverified")
	}
}

// askAbout gets one row by its permalink, and asks the question that the row is about.
func (c *clone) askAbout(manifest object, day string, random *rand.Rand) {
	count := numberOf(manifest, "row_count")
	if count == 0 {
		return
	}
	index := random.Int63n(count)
	link := fmt.Sprintf("%s/rows/%s/%d", c.service(), url.PathEscape(textOf(manifest, "release_id")), index)
	v, body := c.getAnswer(link, asked{}, "answer_unverified")
	if v == nil {
		return
	}
	if len(v.rows) != 1 || !same(v.rows[0].manifest, manifest) || !isRowProof(body["proof"]) || // a refusal has a row too
		numberOf(body["proof"].(object)["row"], "index") != index {
		c.alarms.raise("answer_unverified", "%s shows another row", link)
		return
	}
	row := v.rows[0].row
	if textOf(row, "kind") == "place" {
		return // no question is about it
	}
	question, query := object{"as_of": day}, url.Values{"as_of": {day}}
	for _, name := range []string{"cpt", "region", "npi", "modifier", "setting", "basis"} {
		if text := textOf(row, name); text != "" {
			question[name] = text
			query.Set(name, text)
		}
	}
	address := c.service() + "/reference?" + query.Encode()
	if v, _ := c.getAnswer(address, asked{question: question}, "answer_unverified"); v != nil {
		c.checkFresh(address, v)
	}
}

// getAnswer reads and checks an answer; the verdict is nil if it raised an alarm.
func (c *clone) getAnswer(address string, what asked, otherwise string) (*verdict, object) {
	_, text, err := c.fetch.get(address)
	if err != nil {
		c.alarms.raise(otherwise, "%s: %s", address, err)
		return nil, nil
	}
	return c.checkAnswer(address, text, what, otherwise)
}

// checkAnswer: it verifies, and its checkpoint is one of the log.
func (c *clone) checkAnswer(name string, text []byte, what asked, otherwise string) (*verdict, object) {
	v, err := verifyBody(text, c.pinned, what, limits{})
	if err != nil {
		c.alarms.raise(otherwise, "%s: %s", name, err)
		return nil, nil
	}
	opened := v.opened
	switch {
	case opened.origin != c.head.origin:
		c.alarms.raise(otherwise, "%s: stands under another log", name)
		return nil, nil
	case opened.size > c.head.size:
		if err := c.hasGrownPast(v.checkpoint); err != nil {
			c.alarms.raise("answer_ahead", "%s: of size %d: %s", name, opened.size, err)
			return nil, nil
		}
	case rootOf(c.leaves[:opened.size]) != opened.root:
		c.alarms.raise("answer_forked", "%s: another root at size %d", name, opened.size)
		return nil, nil
	}
	c.answers++
	value, _ := readJSON(text)
	body, _ := value.(object)
	return v, body
}

// hasGrownPast: the log has grown since it was read, and its checkpoint of now continues the one of an answer.
func (c *clone) hasGrownPast(checkpoint string) error {
	now, err := c.fetch.must(c.base + "/checkpoint")
	if err != nil {
		return err
	}
	_, _, err = checkGrowth([]byte(checkpoint), now, c.pinned, c.fetch.tiles(c.base))
	if errors.Is(err, reason("log_forked")) {
		c.alarms.raise("answer_forked", "the log has another root than an answer")
	}
	return err
}

// checkFresh: an answer that was asked for just now shows no release whose withdrawal it covers or that was withdrawn a
// while ago, and no state behind it is older than caches keep an answer.
func (c *clone) checkFresh(name string, v *verdict) {
	shown := map[any]bool{}
	for _, each := range v.rows {
		shown[each.manifest["release_id"]] = true
	}
	for _, each := range c.read.entries {
		old := c.now.Sub(timeOf(textOf(each.value, "recorded_at"))) > tolerated
		covered := int64(each.place) < v.opened.size
		if isWithdrawal(each.value) && shown[each.value["release_id"]] && (old || covered) {
			c.alarms.raise("withdrawn_served", "%s: %s", name, textOf(each.value, "release_id"))
		}
		if isState(each.value) && !covered && old {
			c.alarms.raise("answer_stale", "%s: of size %d", name, v.opened.size)
			return
		}
	}
}
