package hint_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/hint"
)

func TestWrapping(t *testing.T) {
	inner := hint.New("counterstep doctor", "open store: %w", fs.ErrPermission)
	err := fmt.Errorf("arm: %w", hint.Exit(hint.With(inner, "counterstep status"), 3))
	if got := strings.Join(hint.Of(err), "|"); got != "counterstep status|counterstep doctor" {
		t.Errorf("hints = %q", got)
	}
	if got := hint.Code(err); got != 3 {
		t.Errorf("code = %d, want 3", got)
	}
	if !errors.Is(err, fs.ErrPermission) {
		t.Error("the cause is lost")
	}
	if hint.Code(nil) != 0 || hint.Code(errors.New("x")) != 1 {
		t.Error("codes of nil and plain errors")
	}
}

func TestPrintNeverLetsControlCharactersThrough(t *testing.T) {
	var b strings.Builder
	hint.Print(&b, hint.New("rm -- 'a\x1b[2J'", "read %s", "evil\n\u202ename\xff"))
	want := "counterstep: read evil\\n\\u202ename\\xff\nhint: rm -- 'a\\x1b[2J'\n"
	if b.String() != want {
		t.Errorf("got %q\nwant %q", b.String(), want)
	}
}

func TestCleanText(t *testing.T) {
	if got := hint.CleanText("a\n\tb\rc"); got != "a\n\tb\\rc" {
		t.Errorf("got %q", got)
	}
}
