package workspace_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain fixes what random tests do unless the command line says otherwise.
func TestMain(m *testing.M) {
	flag.Set("rapid.seed", "1")
	flag.Set("rapid.checks", "40")
	flag.Set("rapid.nofailfile", "true")
	os.Exit(m.Run())
}
