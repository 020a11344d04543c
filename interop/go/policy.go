package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

type pinnedLog struct {
	key *key
	url string
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
	witnesses []*witness
	groups    map[string]group
	byName    map[string]*witness
	quorum    string
}

var isThreshold = matching(`[1-9][0-9]{0,8}`)

// parsePolicy refuses the whole of what it does not understand in full.
func parsePolicy(given []byte) (*policy, error) {
	parsed := &policy{groups: map[string]group{}, byName: map[string]*witness{}}
	inGroup := map[string]bool{}
	control := func(c rune) bool { return c < 0x20 && c != '\t' && c != '\n' || c == 0x7f }
	if !utf8.Valid(given) || strings.IndexFunc(string(given), control) >= 0 {
		return nil, reason("policy_malformed")
	}
	for _, line := range strings.Split(string(given), "\n") {
		words := strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '\t' })
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		var ok bool
		switch words[0] {
		case "log":
			ok = parsed.addLog(words[1:])
		case "witness":
			ok = parsed.addWitness(words[1:])
		case "group":
			ok = parsed.addGroup(words[1:], inGroup)
		case "quorum":
			ok = len(words) == 2 && parsed.quorum == "" && (words[1] == "none" || parsed.isDefined(words[1]))
			if ok {
				parsed.quorum = words[1]
			}
		}
		if !ok {
			return nil, reason("policy_malformed")
		}
	}
	if len(parsed.logs) == 0 || parsed.quorum == "" {
		return nil, reason("policy_malformed")
	}
	return parsed, nil
}

func (p *policy) addLog(words []string) bool {
	if len(words) < 1 || len(words) > 2 {
		return false
	}
	parsed, ok := parseKey(words[0], logKey)
	if !ok {
		return false
	}
	for _, other := range p.logs {
		if other.key.public.Equal(parsed.public) {
			return false
		}
	}
	log := pinnedLog{key: parsed}
	if len(words) == 2 {
		log.url = words[1]
	}
	p.logs = append(p.logs, log)
	return true
}

func (p *policy) addWitness(words []string) bool {
	if len(words) < 2 || len(words) > 3 || words[0] == "none" || p.isDefined(words[0]) {
		return false
	}
	parsed, ok := parseKey(words[1], witnessKey)
	if !ok {
		return false
	}
	for _, other := range p.witnesses {
		if other.key.public.Equal(parsed.public) {
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
