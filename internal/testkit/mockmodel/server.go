package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// server answers one client with one script.
type server struct {
	script *Script
	dir    string // "" for no log

	mu sync.Mutex // held while the log is written
}

// ServeHTTP goes by the end of the path, so that a base URL with and without
// /v1 both work.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages"):
		s.turn(w, body)
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		fmt.Fprintf(w, `{"input_tokens":%d}`, len(body)/4+1)
	case r.Method == http.MethodHead || r.URL.Path == "/":
	default:
		http.Error(w, `{"type":"error","error":{"type":"not_found_error","message":"not served here"}}`, http.StatusNotFound)
	}
}

func (s *server) turn(w http.ResponseWriter, body []byte) {
	c, err := conversation(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	t, n := s.script.Answer(c)
	if err := s.log(entry{Turn: n, Tools: c.Tools, News: c.News(), Answer: t}); err != nil {
		log.Print(err)
	}
	answer(w, c, t, n)
}

// entry is one line of the log.
type entry struct {
	Turn   int       `json:"turn"` // -1 for a side job
	Tools  []string  `json:"tools,omitempty"`
	News   []Message `json:"news"` // since the model's last answer: results of calls, and what the client adds
	Answer Turn      `json:"answer"`
}

func (s *server) log(e entry) error {
	if s.dir == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := os.OpenFile(filepath.Join(s.dir, "requests.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	return enc.Encode(e)
}
