package main

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/tlog"
)

type pinnedLog struct {
	key *key
	url string
}

// A retiredKey may have signed nothing past its last checkpoint.
type retiredKey struct {
	key  *key
	size int64
	root tlog.Hash
}

type witness struct {
	name string
	key  *key
}

type group struct {
	threshold int
	members   []string
}

type policy struct {
	logs      []pinnedLog
	retired   []retiredKey
	witnesses []*witness
	groups    map[string]group
	byName    map[string]*witness
	quorum    string
}

var (
	isThreshold = matching(`[1-9][0-9]{0,8}`)
	isPlain     = matching(`[ -~\t]*`)
)

// parsePolicy reads what log.md, Policy, says. It refuses the whole of what it does not understand in full.
func parsePolicy(given []byte) (*policy, error) {
	parsed := &policy{groups: map[string]group{}, byName: map[string]*witness{}}
	inGroup := map[string]bool{}
	control := func(c rune) bool { return unicode.IsControl(c) && c != '\t' && c != '\n' }
	if !utf8.Valid(given) || strings.IndexFunc(string(given), control) >= 0 {
		return nil, errPolicy
	}
	for _, line := range strings.Split(string(given), "\n") {
		words := strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '\t' })
		if len(words) == 0 || strings.HasPrefix(words[0], "#") && words[0] != "#retired" {
			continue
		}
		if !isPlain(line) || !parsed.addLine(words[0], words[1:], inGroup) {
			return nil, errPolicy
		}
	}
	if len(parsed.logs) == 0 || parsed.quorum == "" {
		return nil, errPolicy
	}
	for _, old := range parsed.retired {
		if !parsed.hasLog(old.key.name) {
			return nil, errPolicy
		}
	}
	return parsed, nil
}

var errPolicy = reason("policy_malformed")

func (p *policy) addLine(kind string, words []string, inGroup map[string]bool) bool {
	switch kind {
	case "log":
		return p.addLog(words)
	case "#retired":
		return p.addRetired(words)
	case "witness":
		return p.addWitness(words)
	case "group":
		return p.addGroup(words, inGroup)
	case "quorum":
		if len(words) != 1 || p.quorum != "" || words[0] != "none" && !p.isDefined(words[0]) {
			return false
		}
		p.quorum = words[0]
		return true
	}
	return false
}

func (p *policy) hasLog(name string) bool {
	for _, log := range p.logs {
		if log.key.name == name {
			return true
		}
	}
	return false
}

// newLogKey is the key of a log or #retired line; no two of these have the same.
func (p *policy) newLogKey(text string) (*key, bool) {
	parsed, ok := parseKey(text)
	if !ok || parsed.kind != logKey {
		return nil, false
	}
	for _, other := range p.logs {
		ok = ok && !bytes.Equal(other.key.public, parsed.public)
	}
	for _, other := range p.retired {
		ok = ok && !bytes.Equal(other.key.public, parsed.public)
	}
	return parsed, ok
}

func (p *policy) addLog(words []string) bool {
	if len(words) < 1 || len(words) > 2 {
		return false
	}
	parsed, ok := p.newLogKey(words[0])
	if !ok {
		return false
	}
	log := pinnedLog{key: parsed}
	if len(words) == 2 {
		log.url = words[1]
	}
	p.logs = append(p.logs, log)
	return true
}

func (p *policy) addRetired(words []string) bool {
	if len(words) != 3 {
		return false
	}
	parsed, ok := p.newLogKey(words[0])
	size, isSize := parseSize(words[1])
	root, isRoot := decodeHash(words[2])
	if !ok || !isSize || !isRoot {
		return false
	}
	p.retired = append(p.retired, retiredKey{parsed, size, root})
	return true
}

func (p *policy) addWitness(words []string) bool {
	if len(words) < 2 || len(words) > 3 || words[0] == "none" || p.isDefined(words[0]) {
		return false
	}
	parsed, ok := parseKey(words[1])
	if !ok || parsed.kind == logKey {
		return false
	}
	for _, other := range p.witnesses {
		if bytes.Equal(other.key.public, parsed.public) {
			return false
		}
	}
	added := &witness{name: words[0], key: parsed}
	p.witnesses = append(p.witnesses, added)
	p.byName[added.name] = added
	return true
}

func (p *policy) addGroup(words []string, inGroup map[string]bool) bool {
	if len(words) < 3 || words[0] == "none" || p.isDefined(words[0]) {
		return false
	}
	members := words[2:]
	for _, member := range members {
		if inGroup[member] || !p.isDefined(member) {
			return false
		}
		inGroup[member] = true
	}
	threshold := 0
	switch {
	case words[1] == "any":
		threshold = 1
	case words[1] == "all":
		threshold = len(members)
	case isThreshold(words[1]):
		threshold, _ = strconv.Atoi(words[1])
	}
	if threshold < 1 || threshold > len(members) {
		return false
	}
	p.groups[words[0]] = group{threshold, members}
	return true
}

func (p *policy) isDefined(name string) bool {
	_, isGroup := p.groups[name]
	return isGroup || p.byName[name] != nil
}

// isMet says whether the witnesses that cosigned are enough.
func (p *policy) isMet(cosigned map[*witness]bool) bool {
	return p.quorum == "none" || p.hasSeen(p.quorum, cosigned)
}

// hasSeen ends because members are defined before the groups they are in.
func (p *policy) hasSeen(name string, cosigned map[*witness]bool) bool {
	if one := p.byName[name]; one != nil {
		return cosigned[one]
	}
	count := 0
	for _, member := range p.groups[name].members {
		if p.hasSeen(member, cosigned) {
			count++
		}
	}
	return count >= p.groups[name].threshold
}
