package main

import (
	"os"
	"testing"
)

// mutants are the body with one value at a time replaced or removed.
func mutants(value any, rebuild func(any) any, path string, visit func(path string, mutant any)) {
	for name, other := range map[string]any{"null": nil, "number": 7.0, "text": "x", "list": []any{}, "object": object{}, "minus": -1.0,
		"long": []any{nil, nil}} {
		visit(path+"="+name, rebuild(other))
	}
	switch v := value.(type) {
	case object:
		for name, member := range v {
			name := name
			visit(path+"."+name+" removed", rebuild(without(v, name)))
			mutants(member, func(to any) any {
				changed := without(v)
				changed[name] = to
				return rebuild(changed)
			}, path+"."+name, visit)
		}
		more := without(v)
		more["surplus"] = 1.0
		visit(path+" surplus", rebuild(more))
	case []any:
		for i, item := range v {
			i := i
			with := func(to ...any) any {
				return rebuild(append(append(append([]any{}, v[:i]...), to...), v[i+1:]...))
			}
			visit(path+"[] removed", with())
			visit(path+"[] doubled", with(item, item))
			if i > 0 {
				continue
			}
			mutants(item, func(to any) any { return with(to) }, path+"[]", visit)
		}
	}
}

// TestHostile: nothing makes the verifier panic, and what it still accepts is listed for who wants to look.
func TestHostile(t *testing.T) {
	x := sampleFixture()
	local := x.cite(x.releases[1], 0)
	local["because"], local["place"] = x.because(), x.cite(x.releases[4], 1)
	refused := object{"code": "no_edition_for_day", "because": x.because(), "last_known": x.cite(x.releases[1], 2),
		"charts": []any{object{"chart": "cms-pfs"}, object{"chart": "cms-clfs"}, object{"chart": "cms-asp"}, object{"chart": "cms-dmepos"}}}
	batch, questions := x.batch()
	sheet, forSheet := x.sheet()
	for name, each := range map[string]struct {
		body object
		what asked
	}{
		"local":   {local, ask("cpt", "99213", "region", "94110")},
		"refused": {refused, ask("cpt", "99213", "as_of", "2027-01-01")},
		"page":    {x.page(), asked{page: object{"as_of": "2026-06-01", "cpt": "99213"}}},
		"batch":   {batch, questions},
		"sheet":   {sheet, forSheet},
	} {
		x.expect(t, name, each.body, each.what, "ok")
		accepted, total := map[string]bool{}, 0
		mutants(each.body, func(to any) any { return to }, "", func(path string, mutant any) {
			total++
			if _, err := verifyBody(canonical(mutant), x.pinned, each.what, limits{}); err == nil {
				accepted[path] = true
			}
		})
		t.Logf("%s: %d of %d accepted", name, len(accepted), total)
		if os.Getenv("SHOW") != "" {
			for path := range accepted {
				t.Log(name, path)
			}
		}
	}
}
