// atr-verify-go checks what an agent-trust-registry publishes. It was written from docs/spec alone, to find out whether
// the specification is enough.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
)

const usage = `atr-verify-go vectors <dir>
atr-verify-go judge < cases, one vector a line; writes one outcome a line
atr-verify-go body <file|-|url> --policy <file> [--cpt ... --region ... --npi ... --modifier ... --basis ... --setting ... --as-of ... | --any] [--not-before <instant>]
  of a page: --as-of ... [--cpt ... --region ... --npi ... --chart ...]; of a sheet: --as-of ... --cpt ... [--region ... --npi ...]
atr-verify-go growth <older checkpoint> <newer checkpoint> --policy <file> --url <log url>
atr-verify-go clone <log url> --policy <file> [--no-entries] [--rows]
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
	notBefore         *string
	fetch             *fetcher
	pinned            *policy
}

func main() {
	err := run(os.Args[1:])
	var why reason
	switch {
	case err == nil:
	case errors.As(err, &why):
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
	withoutEntries := flags.Bool("no-entries", false, "only hashes, no entries")
	flags.BoolVar(&c.any, "any", false, "whatever was asked")
	flags.Func("not-before", "the oldest view that will do", func(value string) error {
		c.notBefore = &value
		return nil
	})
	for _, name := range append([]string{"chart"}, questionParts...) {
		name := name
		flags.Func(strings.ReplaceAll(name, "_", "-"), "what was asked for", func(value string) error {
			c.asked[name] = value
			return nil
		})
	}
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

// body verifies any answer, and then that amounts and reasons follow from their inputs. What was asked is a page or a
// sheet if the body is one: the command line has no other way to say so.
func (c *command) body(name string) error {
	text, err := c.fetch.open(name)
	if err != nil {
		return err
	}
	var what asked
	if len(c.asked) > 0 {
		what.question = c.asked
		if value, err := readJSON(text); err == nil {
			body, _ := value.(object)
			if _, isPage := body["data"].([]any); isPage && has(body, "not_held") {
				what = asked{sheet: c.asked}
			} else if isPage {
				what = asked{page: c.asked}
			}
		}
	}
	v, err := verifyBody(text, c.pinned, what, c.notBefore)
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
	if err == nil {
		fmt.Printf("ok\n%s: size %d, root %s\n%d tiles, %d entries, the row hashes of %d releases, %d rows\n", done.head.origin,
			done.head.size, done.head.root, done.tiles, done.entries, done.releases, done.rows)
	}
	return err
}
