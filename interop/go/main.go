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
atr-verify-go body|row|absence <file|-|url> --policy <file> [--cpt ... --region ... --npi ... --modifier ... --basis ... --setting ... --as-of ...]
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
	case len(words) == 1 && (c.name == "body" || c.name == "row" || c.name == "absence"):
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
	flags.BoolVar(&c.clone.rows, "rows", false, "the row hashes of every release too")
	withoutEntries := flags.Bool("no-entries", false, "only hashes, no entries")
	for _, name := range append(keyParts, "as_of") {
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

// body verifies any answer; row and absence also want what they are named after to be in it.
func (c *command) body(name string) error {
	text, err := c.fetch.open(name)
	if err != nil {
		return err
	}
	asked := c.asked
	if len(asked) == 0 {
		asked = nil
	}
	found, err := checkBody(text, c.pinned, asked)
	if err != nil {
		return err
	}
	states := map[string]bool{"body": true}
	for _, each := range found {
		states[each.what] = true
		if each.what == "row" {
			if err := checkDerivation(each.row); err != nil {
				return err
			}
			// A stated absence is a row that says there is no price.
			states[textOf(each.row, "kind")] = true
		}
	}
	if !states[c.name] {
		return fmt.Errorf("what was proved is not one %s", c.name)
	}
	fmt.Println("ok")
	for _, each := range found {
		switch each.what {
		case "row":
			fmt.Printf("%s %s in %s (%s data)\n", textOf(each.row, "kind"), keyOf(each.row),
				textOf(each.release, "release_id"), textOf(each.release, "data_class"))
		case "absence":
			fmt.Printf("nothing begins with %s in %s\n", each.prefix, textOf(each.release, "release_id"))
		case "entry":
			fmt.Printf("entry %d of %s\n", each.index, each.origin)
		}
	}
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
		fmt.Printf("ok\n%s: size %d, root %s\n%d tiles, %d entries, the row hashes of %d releases\n", done.head.origin,
			done.head.size, done.head.root, done.tiles, done.entries, done.releases)
	}
	return err
}
