// atr-verify-go checks what an agent-trust-registry publishes. It was written from docs/spec alone, to find out whether
// the specification is enough.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

const usage = `atr-verify-go vectors <dir>
atr-verify-go judge < cases, one vector a line; writes one outcome a line
atr-verify-go body <file|-|url> --policy <file> [--cpt ... --region ... --npi ... --modifier ... --basis ... --setting ... --as-of ... | --any] [--not-before <instant>]
  what was asked is of the kind of the body: of a page also --chart; of lists also --chart, --state and --offset; of a history without --as-of
atr-verify-go growth <older checkpoint> <newer checkpoint> --policy <file> --url <log url>
atr-verify-go entry <entry> <proof> --policy <file>
atr-verify-go clone <log url> --policy <file> [--no-entries] [--rows] [--max-age <duration>] [--since <checkpoint>] [--ask <number>] [--answer <file>]...
--header "Name: value" is sent with every request, and may be repeated.`

type repeated []string

func (r *repeated) String() string         { return strings.Join(*r, ", ") }
func (r *repeated) Set(value string) error { *r = append(*r, value); return nil }

type command struct {
	name, policy, url string
	headers           repeated
	clone             cloneOptions
	asked             object
	any               bool
	age               limits
	fetch             *fetcher
	pinned            *policy
}

func main() {
	err := run(os.Args[1:])
	var why reason
	var told alarms
	switch {
	case err == nil:
	case errors.As(err, &why), errors.As(err, &told):
		fmt.Printf("failed: %s\n", err)
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	c := &command{name: args[0], clone: cloneOptions{entries: true}, asked: object{}}
	words, err := c.parse(args[1:])
	if err != nil {
		return err
	}
	if c.name == "vectors" && len(words) == 1 {
		agrees, err := runVectors(words[0])
		if err == nil && !agrees {
			err = reason("the vectors say otherwise")
		}
		return err
	}
	if c.name == "judge" && len(words) == 0 {
		return judge(os.Stdin, os.Stdout)
	}
	if c.fetch, err = newFetcher(c.headers); err != nil {
		return err
	}
	text, err := os.ReadFile(c.policy)
	if err != nil {
		return fmt.Errorf("--policy: %w", err)
	}
	if c.pinned, err = parsePolicy(text); err != nil {
		return err
	}
	switch {
	case len(words) == 1 && c.name == "body" && !(c.any && len(c.asked) > 0):
		return c.body(words[0])
	case len(words) == 2 && c.name == "growth" && c.url != "":
		return c.growth(words[0], words[1])
	case len(words) == 2 && c.name == "entry":
		return c.entry(words[0], words[1])
	case len(words) == 1 && c.name == "clone":
		return c.cloneOf(words[0])
	}
	return errors.New(usage)
}

// parse lets options stand anywhere; package flag alone stops at the first word that is none.
func (c *command) parse(args []string) (words []string, err error) {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.StringVar(&c.policy, "policy", "", "the pinned policy")
	flags.StringVar(&c.url, "url", "", "the address of the log")
	flags.Var(&c.headers, "header", "a header for every request")
	flags.BoolVar(&c.clone.rows, "rows", false, "the row hashes of every release too, and with --header the rows")
	flags.DurationVar(&c.clone.maxAge, "max-age", 26*time.Hour, "how old the newest state of the registry may be, 0 for any age")
	flags.StringVar(&c.clone.since, "since", "", "a checkpoint from which the log must have grown")
	flags.IntVar(&c.clone.ask, "ask", 0, "how many releases to ask the service about")
	flags.Var(&c.clone.answers, "answer", "an answer that someone received, which must stand under this log")
	withoutEntries := flags.Bool("no-entries", false, "only hashes, no entries")
	flags.BoolVar(&c.any, "any", false, "whatever was asked")
	flags.Func("not-before", "the oldest view that will do", func(value string) error {
		c.age.notBefore = &value
		return nil
	})
	for _, name := range append([]string{"chart", "state"}, questionParts...) {
		name := name
		flags.Func(strings.ReplaceAll(name, "_", "-"), "what was asked for", func(value string) error {
			c.asked[name] = value
			return nil
		})
	}
	flags.Func("offset", "where a page of a list begins", func(value string) error {
		offset, err := strconv.ParseUint(value, 10, 32)
		c.asked["offset"] = float64(offset)
		return err
	})
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if flags.NArg() == 0 {
			break
		}
		words, args = append(words, flags.Arg(0)), flags.Args()[1:]
	}
	c.clone.entries = !*withoutEntries
	return words, nil
}

// body verifies any answer, and then that amounts and reasons follow from their inputs. What was asked is of
// the kind of the body: the command line has no other way to say so.
func (c *command) body(name string) error {
	text, err := c.fetch.open(name)
	if err != nil {
		return err
	}
	var what asked
	if len(c.asked) > 0 {
		value, _ := readJSON(text)
		body, _ := value.(object)
		what = askedLike(kindOf(body), c.asked)
	}
	v, err := verifyBody(text, c.pinned, what, c.age)
	if err != nil {
		return err
	}
	for _, each := range v.rows {
		if textOf(each.row, "kind") == "place" {
			continue
		}
		if err := checkDerivation(each.row); err != nil {
			return err
		}
	}
	fmt.Println("ok")
	for _, each := range v.rows {
		fmt.Printf("%s %s in %s (%s data)\n", textOf(each.row, "kind"), keyOf(each.row),
			textOf(each.manifest, "release_id"), textOf(each.manifest, "data_class"))
	}
	for _, each := range v.listed {
		days := "in force on no day"
		if each.period != nil {
			days = "in force from " + textOf(each.period, "from") + " to " + textOf(each.period, "to")
		}
		fmt.Printf("%s, %s (%s data)\n", textOf(each.manifest, "release_id"), days, textOf(each.manifest, "data_class"))
	}
	if v.figures != nil {
		fmt.Printf("figures of release %s\n", canonical(v.figures["release_id"]))
	}
	for _, each := range v.decisions {
		fmt.Printf("decided: %s\n", each.name)
	}
	recorded := v.recordedAt
	if recorded == "" {
		recorded = "no time"
	}
	fmt.Printf("checked: %d rows, %d log entries; %d lines refused; as of %s\n", len(v.rows), v.entries, v.refused, recorded)
	return nil
}

func (c *command) growth(older, newer string) error {
	before, err := c.fetch.open(older)
	if err != nil {
		return err
	}
	after, err := c.fetch.open(newer)
	if err != nil {
		return err
	}
	from, to, err := checkGrowth(before, after, c.pinned, c.fetch.tiles(c.url))
	if err == nil {
		fmt.Printf("ok\n%s grew from %d to %d\n", to.origin, from.size, to.size)
	}
	return err
}

func (c *command) cloneOf(url string) error {
	done, err := cloneLog(c.fetch, url, c.pinned, c.clone)
	if err != nil {
		return err
	}
	fmt.Println("ok")
	if done.answers > 0 {
		fmt.Printf("%d answers stand under it\n", done.answers)
	}
	if done.figuresOf != "" { // told, and no alarm: nothing is recorded between two releases
		fmt.Printf("the newest figures are of %s\n", done.figuresOf)
	}
	fmt.Printf("%s: size %d, root %s\n%d tiles, %d entries, the row hashes of %d releases, %d rows\n", done.head.origin,
		done.head.size, done.head.root, done.tiles, done.entries, done.releases, done.rows)
	return nil
}
