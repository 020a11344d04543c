package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"sort"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// A small registry of its own making, to test the verifier with where no vectors are at hand.
type fixture struct {
	origin   string // fixtureOrigin if empty
	pinned   *policy
	entries  []object
	releases []*fixtureRelease
	periods  []object
	provided []object
	state    object
	log      object
}

type fixtureRelease struct {
	manifest object
	rows     []object
}

const fixtureOrigin = "vectors.example/log/registry"

func priceRow(cpt, region, setting, amount string) object {
	row := object{
		"kind": "price", "cpt": cpt, "region": region, "npi": nil, "modifier": nil, "basis": "medicare_clfs",
		"setting": nil, "class": nil, "effective_from": "2026-01-01", "flags": []any{},
		"price":      object{"amount": amount, "currency": "USD", "per": nil},
		"derivation": object{"method": "verbatim/1", "inputs": object{"rate": amount}},
		"indicators": object{}, "locator": []any{object{"citation": 0.0, "line": 5.0}},
	}
	if setting != "" {
		row["setting"], row["basis"] = setting, "medicare_pfs"
		row["derivation"] = object{"method": "pfs-formula/1", "inputs": object{}}
	}
	return row
}

func placeRow(zip, region string) object {
	return object{"kind": "place", "zip": zip, "plus_four": nil, "region": region, "state": region[3:5],
		"effective_from": "2026-01-01",
		"locator":        []any{object{"citation": 0.0, "line": 1.0}}}
}

func (x *fixture) release(chart string, rows ...object) {
	sort.Slice(rows, func(i, j int) bool { return keyOf(rows[i]) < keyOf(rows[j]) })
	manifest := object{
		"schema": "price-release/2", "release_id": chart + ":E:1", "chart": chart, "edition": "E", "publisher": "P",
		"effective_from": "2026-01-01", "effective_to": "2026-12-31", "period_by": "calendar",
		"citations": []any{object{"title": "T", "url": "about:x", "file": "f.csv", "sha256": strings.Repeat("0", 64),
			"bytes": 1.0, "media_type": "text/csv", "retrieved_at": "2026-01-01T00:00:00Z"}},
		"row_count": float64(len(rows)), "rows_root": rootOfLeaves(rows), "unreadable_lines": 0.0, "rejected_count": 0.0,
		"data_class": "sample", "supersedes": nil, "recorded_at": "2026-01-01T00:00:00Z",
	}
	if strings.HasPrefix(chart, hospitalChart) {
		manifest["providers"] = []any{chart[len(hospitalChart):]}
	}
	x.entries = append(x.entries, manifest)
	x.releases = append(x.releases, &fixtureRelease{manifest, rows})
}

// addState appends the state that follows from the entries.
func (x *fixture) addState() {
	x.periods, x.provided = inForce(x.entries)
	x.state = object{"schema": "registry-state/1", "timeline_root": rootOfLeaves(x.periods),
		"timeline_size": float64(len(x.periods)), "providers_root": rootOfLeaves(x.provided),
		"providers_size": float64(len(x.provided)), "recorded_at": "2026-01-01T00:00:00Z"}
	x.entries = append(x.entries, x.state)
}

// seal appends the state and signs the checkpoint.
func (x *fixture) seal() {
	x.addState()
	x.sign()
}

func (x *fixture) sign() {
	origin := x.origin
	if origin == "" {
		origin = fixtureOrigin
	}
	private := ed25519.NewKeyFromSeed([]byte(strings.Repeat("\x01", 32)))
	public := append([]byte{logKey}, private.Public().(ed25519.PublicKey)...)
	id := sha256.Sum256(append([]byte(origin+"\n"), public...))
	text := fmt.Sprintf("%s\n%d\n%s\n", origin, len(x.entries), rootOfLeaves(x.entries))
	signature := append(append([]byte{}, id[:4]...), ed25519.Sign(private, []byte(text))...)
	x.log = object{"index": float64(len(x.entries) - 1), "inclusion": pathIn(x.entries, len(x.entries)-1),
		"checkpoint": text + "\n— " + origin + " " + base64.StdEncoding.EncodeToString(signature) + "\n"}
	x.pinned, _ = parsePolicy([]byte(fmt.Sprintf("log %s+%x+%s\nquorum none\n", origin, id[:4],
		base64.StdEncoding.EncodeToString(public))))
}

func pathIn(values []object, index int) []any {
	var hashes []tlog.Hash
	for _, value := range values {
		hashes = append(hashes, tlog.RecordHash(canonical(value)))
	}
	path := []any{}
	for len(hashes) > 1 {
		k := 1
		for k*2 < len(hashes) {
			k *= 2
		}
		if index < k {
			path = append([]any{encodeHash(rootOf(hashes[k:]))}, path...)
			hashes = hashes[:k]
		} else {
			path = append([]any{encodeHash(rootOf(hashes[:k]))}, path...)
			hashes, index = hashes[k:], index-k
		}
	}
	return path
}

func (x *fixture) periodProof(i int) object {
	return object{"period": x.periods[i], "index": float64(i), "path": pathIn(x.periods, i)}
}

func (x *fixture) shared(r *fixtureRelease) object {
	for i, period := range x.periods {
		if textOf(period, "release") == leafHash(r.manifest) {
			return object{"release": r.manifest, "in_force": x.periodProof(i)}
		}
	}
	panic("not in force")
}

// cite is a row with its whole proof.
func (x *fixture) cite(r *fixtureRelease, i int) object {
	row := without(r.rows[i])
	shared := x.shared(r)
	inForce := without(shared["in_force"].(object))
	inForce["state"] = x.state
	row["proof"] = object{"type": "agent-trust-registry/row-proof@v2", "release": r.manifest, "in_force": inForce,
		"log": x.log,
		"row": object{"index": float64(i), "leaf_hash": leafHash(r.rows[i]), "path": pathIn(r.rows, i)}}
	return row
}

// because shows all there is.
func (x *fixture) because() object {
	releases, rows, periods, providers := []any{}, []any{}, []any{}, []any{}
	for at, r := range x.releases {
		releases = append(releases, x.shared(r))
		for i, row := range r.rows {
			rows = append(rows, object{"row": row, "index": float64(i), "path": pathIn(r.rows, i), "release": float64(at)})
		}
	}
	for i := range x.periods {
		periods = append(periods, x.periodProof(i))
	}
	for i, provider := range x.provided {
		providers = append(providers, object{"provider": provider, "index": float64(i), "path": pathIn(x.provided, i)})
	}
	return object{"releases": releases, "rows": rows, "periods": periods, "providers": providers, "state": x.state, "log": x.log}
}

func (x *fixture) expect(t *testing.T, name string, body object, what asked, want string) {
	t.Helper()
	_, err := verifyBody(canonical(body), x.pinned, what, limits{})
	got := "ok"
	if err != nil {
		got = outcome(err, nil)["reason"].(string)
	}
	if got != want {
		t.Errorf("%s: %s, not %s", name, got, want)
	}
}
