// Command mockmodel is a scripted stand-in for a hosted language model, so that
// a real coding agent can be run offline and always makes the same calls.
//
// It speaks the Anthropic Messages API, streamed or not, on a loopback address.
// What it answers is in a script (see Script); which turn is due is worked out
// from the history in the request, so retries and resumed sessions stay in step.
//
// Each request becomes a line of LOG/requests.jsonl with what is worth
// asserting on, the results of calls above all. Values of headers are never
// logged, so no key can end up there.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("mockmodel: ")
	addr := flag.String("addr", "127.0.0.1:18080", "loopback `ADDRESS` to listen on")
	script := flag.String("script", "", "`FILE` with the script")
	dir := flag.String("log", "", "existing `DIRECTORY` for the log of requests")
	ready := flag.String("ready", "", "`FILE` that is made once the address is open")
	vars := variables{}
	flag.Var(vars, "var", "`NAME=VALUE`: ${NAME} in the script becomes VALUE; may be repeated")
	flag.Parse()
	log.Fatal(run(*addr, *script, *dir, *ready, vars))
}

func run(addr, script, dir, ready string, vars variables) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("%s is no loopback address", addr)
	}
	text, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	s, err := ParseScript(string(text), vars)
	if err != nil {
		return fmt.Errorf("%s: %w", script, err)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	if ready != "" {
		if err := os.WriteFile(ready, []byte(l.Addr().String()+"\n"), 0o644); err != nil {
			return err
		}
	}
	return http.Serve(l, &server{script: s, dir: dir})
}

// variables are values for the script, given as flags.
type variables map[string]string

// String is for package flag.
func (v variables) String() string { return "" }

// Set takes NAME=VALUE.
func (v variables) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("no = in %q", s)
	}
	v[name] = value
	return nil
}
