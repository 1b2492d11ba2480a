// Command mutants takes safety steps out of the product, one at a time, and
// checks that a test notices.
//
//	go run ./internal/testkit/mutants [-run REGEX] [-v]   # from the root of the module
//	go run ./internal/testkit/mutants -doc                # the table for docs/SAFETY.md
//
// It works on a copy of the tracked files in a temporary directory. A mutant
// that does not compile counts as a failure, and so does one whose old text is
// not found exactly once or whose tests fail without it: the list must not rot.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"
)

var (
	only    = flag.String("run", "", "only the mutants whose name matches this regular expression")
	doc     = flag.Bool("doc", false, "print the table for docs/SAFETY.md")
	verbose = flag.Bool("v", false, "show what the tests say")
	limit   = flag.Duration("timeout", 4*time.Minute, "how long the tests of one mutant may take")
)

func main() {
	flag.Parse()
	if *doc {
		fmt.Print(Table(All()))
		return
	}
	failed, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	if err != nil || failed > 0 {
		os.Exit(1)
	}
}

// run tries the mutants that are asked for and says how many failed.
func run() (failed int, err error) {
	name, err := regexp.Compile(*only)
	if err != nil {
		return 0, err
	}
	b, err := newBench(".", *limit, *verbose)
	if err != nil {
		return 0, err
	}
	defer b.close()
	passed := 0
	for _, m := range All() {
		if !name.MatchString(m.Name) {
			continue
		}
		start := time.Now()
		word, why := "killed", ""
		if err := b.try(m); err != nil {
			word, why = "SURVIVED", ": "+err.Error()
			failed++
		} else {
			passed++
		}
		fmt.Printf("%-8s %s (%s)%s\n", word, m.Name, time.Since(start).Round(100*time.Millisecond), why)
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	return failed, nil
}
