package workspace_test

import (
	"flag"
	"os"
	"testing"
)

// child, when set, is what the process does that a crash test starts.
var child func(job string)

// TestMain fixes what random tests do unless the command line says otherwise.
func TestMain(m *testing.M) {
	if job := os.Getenv("WORKSPACE_TEST_CHILD"); job != "" && child != nil {
		child(job)
		return
	}
	flag.Set("rapid.seed", "1")
	flag.Set("rapid.checks", "40")
	flag.Set("rapid.nofailfile", "true")
	os.Exit(m.Run())
}
