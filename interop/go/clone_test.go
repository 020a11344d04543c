package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// loggedFixture has a state after each of its entries, as a registry log must.
func loggedFixture() *fixture {
	x := &fixture{}
	x.addState()
	x.release("cms-clfs", priceRow("80048", "national", "", "8.46"), priceRow("80053", "national", "", "10.56"))
	x.addState()
	x.release("cms-dmepos")
	x.addState()
	x.release("zip-locality", placeRow("60611", "US-IL-16"), placeRow("94110", "US-CA-05"))
	x.seal()
	return x
}

// addTiles adds the one tile of a small tree, and its bundle.
func addTiles(files map[string][]byte, base string, values []object) {
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

// files are what the service serves of the logs, for trees of one tile.
func (x *fixture) files() map[string][]byte {
	files := map[string][]byte{"/log/registry/checkpoint": []byte(textOf(x.log, "checkpoint"))}
	addTiles(files, "/log/registry", x.entries)
	for _, r := range x.releases {
		addTiles(files, "/log/releases/"+textOf(r.manifest, "release_id"), r.rows)
		for i := range r.rows {
			files[fmt.Sprintf("/rows/%s/%d", textOf(r.manifest, "release_id"), i)] = canonical(x.cite(r, i))
		}
	}
	files["/api/registry"] = []byte(`{}`)
	return files
}

func serve(t *testing.T, files map[string][]byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if path == "/reference" {
			path += " " + r.URL.Query().Get("cpt")
		}
		if file, there := files[path]; there {
			w.Write(file)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

var withToken, _ = newFetcher([]string{"X-Agent-Rails: token"})

func (x *fixture) clone(t *testing.T, files map[string][]byte, options cloneOptions) (*clone, error) {
	t.Helper()
	options.entries, options.rows = true, true
	return cloneLog(withToken, serve(t, files)+"/log/registry", x.pinned, options)
}

func (x *fixture) expectAlarm(t *testing.T, files map[string][]byte, options cloneOptions, want string) {
	t.Helper()
	_, err := x.clone(t, files, options)
	var told alarms
	if !errors.As(err, &told) || told[0].code != want {
		t.Errorf("%v, not %s", err, want)
	}
}

func TestClone(t *testing.T) {
	x := loggedFixture()
	done, err := x.clone(t, x.files(), cloneOptions{})
	if err != nil || done.entries != 7 || done.releases != 3 || done.rows != 4 {
		t.Fatal(done.entries, done.releases, done.rows, err)
	}
	x.expectAlarm(t, x.files(), cloneOptions{maxAge: time.Hour}, "head_stale")

	entries, hashes := "/log/registry/tile/entries/000.p/7", "/log/registry/tile/0/000.p/7"
	rows, rowHashes := "/log/releases/cms-clfs:E:1/tile/entries/000.p/2", "/log/releases/cms-clfs:E:1/tile/0/000.p/2"
	for _, each := range []struct{ file, want string }{
		{entries, "entry_altered"}, {hashes, "tiles_wrong"}, {rows, "row_altered"}, {rowHashes, "row_hashes_wrong"},
		{"/log/registry/checkpoint", "checkpoint_invalid"},
	} {
		files := x.files()
		files[each.file][20] ^= 1
		x.expectAlarm(t, files, cloneOptions{}, each.want)
	}
	for _, each := range []struct{ file, want string }{
		{entries, "entry_missing"}, {rows, "rows_unreadable"}, {rowHashes, "row_hashes_wrong"},
	} {
		files := x.files()
		files[each.file] = files[each.file][:40]
		x.expectAlarm(t, files, cloneOptions{}, each.want)
	}
	files := x.files()
	delete(files, rowHashes)
	x.expectAlarm(t, files, cloneOptions{}, "row_hashes_missing")
	if _, err := cloneLog(withToken, serve(t, x.files())+"/log/figures", x.pinned, cloneOptions{}); err == nil {
		t.Error("a log that is not there")
	}
}

// TestCloneOfALie: what is wrong was hashed and signed as it is.
func TestCloneOfALie(t *testing.T) {
	x := loggedFixture()
	x.entries[6] = x.entries[4] // the state before the last release
	x.sign()
	x.expectAlarm(t, x.files(), cloneOptions{}, "state_wrong")

	x = loggedFixture()
	x.entries = x.entries[:6]
	x.sign()
	x.expectAlarm(t, x.files(), cloneOptions{}, "state_missing")

	swapped := &fixture{}
	swapped.addState()
	swapped.release("cms-clfs", priceRow("80048", "national", "", "8.46"), priceRow("80053", "national", "", "10.56"))
	one := swapped.releases[0]
	one.rows[0], one.rows[1] = one.rows[1], one.rows[0]
	one.manifest["rows_root"] = rootOfLeaves(one.rows)
	swapped.seal()
	swapped.expectAlarm(t, swapped.files(), cloneOptions{}, "rows_unsorted")

	wrong := priceRow("80048", "national", "", "8.46")
	wrong["derivation"].(object)["inputs"] = object{"rate": "8.47"}
	bent := &fixture{}
	bent.addState()
	bent.release("cms-clfs", wrong)
	bent.seal()
	bent.expectAlarm(t, bent.files(), cloneOptions{}, "arithmetic_wrong")
}

func TestCloneAndAnswers(t *testing.T) {
	x := loggedFixture()
	files := x.files()
	delete(files, "/api/registry")
	for i, cpt := range []string{"80048", "80053"} {
		answer := x.cite(x.releases[0], i)
		answer["because"] = x.because()
		files["/reference "+cpt] = canonical(answer)
	}
	x.expectAlarm(t, files, cloneOptions{ask: 5}, "page_unverified")
	files["/reference 80048"], files["/reference 80053"] = files["/reference 80053"], files["/reference 80048"]
	x.expectAlarm(t, files, cloneOptions{ask: 5}, "answer_unverified")

	// A file that someone received under another log of the same key, and one under an older checkpoint.
	dir := t.TempDir()
	save := func(name string, text []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	other := sampleFixture()
	forged := save("forged", canonical(other.cite(other.releases[0], 0)))
	x.expectAlarm(t, x.files(), cloneOptions{answers: repeated{forged}}, "answer_forked")
	x.expectAlarm(t, x.files(), cloneOptions{since: save("fork", []byte(textOf(other.log, "checkpoint")))}, "log_forked")
	longer := loggedFixture()
	longer.addState()
	longer.sign()
	ahead := save("ahead", canonical(longer.cite(longer.releases[0], 0)))
	x.expectAlarm(t, x.files(), cloneOptions{answers: repeated{ahead}}, "answer_ahead")
	x.expectAlarm(t, x.files(), cloneOptions{since: save("longer", []byte(textOf(longer.log, "checkpoint")))}, "log_rolled_back")
	good := save("good", canonical(x.cite(x.releases[0], 0)))
	early := save("early", []byte(textOf(x.log, "checkpoint")))
	if done, err := longer.clone(t, longer.files(), cloneOptions{answers: repeated{good}, since: early}); err != nil || done.answers != 1 {
		t.Error(err)
	}
}

func TestReplayOfTheRegistry(t *testing.T) {
	x := loggedFixture()
	expect := func(entries []object, want ...fault) {
		t.Helper()
		r := newRegistry()
		for i, entry := range entries {
			r.add(i, canonical(entry))
		}
		if fmt.Sprint(r.faults) != fmt.Sprint(want) {
			t.Error(r.faults, want)
		}
	}
	expect(x.entries)
	expect(x.entries[1:], fault{0, "state_missing"})
	withdrawal := object{"schema": "price-withdrawal/2", "release_id": "cms-clfs:E:1", "chart": "cms-clfs",
		"reason": "wrong_source", "recorded_at": "2026-01-01T00:00:00Z"}
	expect(append(append([]object{}, x.entries...), withdrawal, x.state), fault{8, "state_wrong"})
	expect(append(append([]object{}, x.entries...), withdrawal, withdrawal),
		fault{8, "state_missing"}, fault{8, "withdrawal_unfounded"})
	expect([]object{x.entries[0], {"schema": "price-gift/1"}}, fault{1, "entry_unknown"})
}

func TestEntryProof(t *testing.T) {
	x := loggedFixture()
	proofOf := func(index int) string {
		lines := []string{entryProofLine, "index " + strconv.Itoa(index)}
		for _, hash := range pathIn(x.entries, index) {
			lines = append(lines, hash.(string))
		}
		return strings.Join(lines, "\n") + "\n\n" + textOf(x.log, "checkpoint")
	}
	for i, entry := range x.entries {
		if index, _, err := checkEntryProof(canonical(entry), proofOf(i), x.pinned); err != nil || index != int64(i) {
			t.Error(i, err)
		}
		if _, _, err := checkEntryProof(canonical(entry), proofOf((i+1)%7), x.pinned); err != reason("entry_not_in_log") {
			t.Error(i, err)
		}
	}
	good := proofOf(3)
	for _, bad := range []string{"", good[1:], strings.Replace(good, "index 3", "index 03", 1),
		strings.Replace(good, "index 3", "3", 1), strings.Replace(good, "\n\n", "\n", 1), strings.Replace(good, "=\n", "\n", 1)} {
		if _, _, err := checkEntryProof(canonical(x.entries[3]), bad, x.pinned); err == nil {
			t.Errorf("accepted %q", bad)
		}
	}
}
