package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// serve answers as the service does, for trees of one tile.
func (x *fixture) serve(t *testing.T) *httptest.Server {
	t.Helper()
	files := map[string][]byte{"/log/registry/checkpoint": []byte(textOf(x.log, "checkpoint"))}
	tiles := func(base string, values []object) {
		var hashes, bundle []byte
		for _, value := range values {
			text := canonical(value)
			hash := tlog.RecordHash(text)
			hashes = append(hashes, hash[:]...)
			bundle = append(append(bundle, byte(len(text)>>8), byte(len(text))), text...)
		}
		files[base+"/"+tilePath(0, 0, len(values))] = hashes
		files[base+"/"+tilePath(-1, 0, len(values))] = bundle
	}
	tiles("/log/registry", x.entries)
	for _, r := range x.releases {
		tiles("/log/releases/"+textOf(r.manifest, "release_id"), r.rows)
		data := []any{}
		for i, row := range r.rows {
			item := without(row)
			item["proof"] = object{"type": "agent-trust-registry/page-proof@v2", "proof": 0.0, "index": float64(i), "leaf_hash": leafHash(row)}
			data = append(data, item)
		}
		files["/api/registry "+textOf(r.manifest, "chart")] = canonical(object{"data": data, "as_of": "2026-01-01",
			"state": x.state, "log": x.log, "releases": []any{x.shared(r)}, "page": object{"next_after": nil},
			"proofs": []any{object{"type": "agent-trust-registry/range-proof@v2", "release": 0.0, "from": 0.0,
				"left_path": []any{}, "right_path": []any{}}}})
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if path == "/api/registry" {
			path += " " + r.URL.Query().Get("chart")
		}
		if file, there := files[path]; there {
			w.Write(file)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

func TestClone(t *testing.T) {
	x := sampleFixture()
	f, _ := newFetcher([]string{"X-Agent-Rails: token"})
	done, err := cloneLog(f, x.serve(t).URL+"/log/registry", x.pinned, cloneOptions{entries: true, rows: true})
	if err != nil || done.entries != 7 || done.releases != 6 || done.rows != 7 {
		t.Fatal(done, err)
	}
	// A release in force whose state says otherwise.
	x = sampleFixture()
	x.entries = append(x.entries, object{"schema": "price-withdrawal/2", "release_id": "cms-pfs:E:1", "chart": "cms-pfs",
		"reason": "wrong_source", "recorded_at": "2026-06-02T00:00:00Z"})
	stale := x.state
	x.seal()
	if err := (&registry{entries: x.entries}).replay(); err != nil {
		t.Error(err)
	}
	x.entries[len(x.entries)-1] = stale
	if err := (&registry{entries: x.entries}).replay(); err == nil || !strings.Contains(err.Error(), "does not follow") {
		t.Error(err)
	}
	if err := (&registry{entries: x.entries[:8]}).replay(); err == nil {
		t.Error("ends in a withdrawal")
	}
}
