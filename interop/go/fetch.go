package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// No answer of a log is larger: 256 entries of 65,535 bytes with their lengths.
const maxAnswer = 256 * 65537

type fetcher struct {
	client http.Client
	header http.Header
}

func newFetcher(headers []string) (*fetcher, error) {
	f := &fetcher{client: http.Client{Timeout: 30 * time.Second}, header: http.Header{}}
	// A token is for one address only.
	f.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, line := range headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("a header is written Name: value, not %q", line)
		}
		f.header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return f, nil
}

// get reads an address whole. A quota that is used up is waited for, since a log may have more tiles than a minute has
// requests. The status says what went wrong; bodies of refusals prove something too, so they are returned.
func (f *fetcher) get(url string) (status int, body []byte, err error) {
	for tries := 0; ; tries++ {
		request, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			return 0, nil, err
		}
		request.Header = f.header.Clone()
		response, err := f.client.Do(request)
		if err != nil {
			return 0, nil, err
		}
		body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
		response.Body.Close()
		if err != nil {
			return 0, nil, err
		}
		if len(body) > maxAnswer {
			return 0, nil, fmt.Errorf("%s: too large", url)
		}
		seconds, retry := strconv.Atoi(response.Header.Get("Retry-After"))
		if response.StatusCode != http.StatusTooManyRequests || retry != nil || seconds > 120 || tries == 20 {
			return response.StatusCode, body, nil
		}
		time.Sleep(time.Duration(seconds)*time.Second + 100*time.Millisecond)
	}
}

// must is for what has to be there.
func (f *fetcher) must(url string) ([]byte, error) {
	status, body, err := f.get(url)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s: status %d", url, status)
	}
	return body, err
}

// tiles reads below the address of a log. A partial tile that is gone may be replaced by the full one.
func (f *fetcher) tiles(base string) tileSource {
	return func(path string) ([]byte, error) {
		url := strings.TrimSuffix(base, "/") + "/" + path
		body, err := f.must(url)
		if err == nil {
			return body, nil
		}
		if full := strings.LastIndex(url, ".p/"); full > 0 {
			if body, other := f.must(url[:full]); other == nil {
				return body, nil
			}
		}
		fmt.Fprintln(os.Stderr, err)
		return nil, reason("tile_unavailable")
	}
}

// open reads a file, standard input or an address.
func (f *fetcher) open(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(os.Stdin)
	}
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		_, body, err := f.get(name)
		return body, err
	}
	return os.ReadFile(name)
}
