package all_test

import (
	"testing"

	"github.com/counterstep/counterstep/internal/harness/all"
	"github.com/counterstep/counterstep/internal/hint"
)

func TestFind(t *testing.T) {
	for _, name := range []string{"", "claude"} {
		if a, err := all.Find(name); err != nil || a.Name() != "claude" {
			t.Errorf("Find(%q) = %v, %v", name, a, err)
		}
	}
	_, err := all.Find("Claude")
	if err == nil || len(hint.Of(err)) != 1 {
		t.Errorf("an unknown name: %v %q", err, hint.Of(err))
	}
}
