package cli

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestTheHookAnswersInTime: when the agent's payload never ends, or anything
// else hangs, the call is blocked in time.
func TestTheHookAnswersInTime(t *testing.T) {
	usual := deadline
	deadline = 20*time.Millisecond - time.Second
	defer func() { deadline = usual }()
	hanging, _ := io.Pipe()
	var stdout, stderr strings.Builder
	env := Env{Stdin: hanging, Stdout: &stdout, Stderr: &stderr, Getenv: os.Getenv, Dir: t.TempDir(), Now: time.Now}
	code := make(chan int, 1)
	go func() { code <- hook(env, nil) }()
	select {
	case got := <-code:
		if got != 2 || stdout.Len() > 0 || !strings.Contains(stderr.String(), "no decision in time") {
			t.Errorf("code %d, stdout %q, stderr %q", got, &stdout, &stderr)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("no answer")
	}
}
