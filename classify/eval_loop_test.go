package classify

import (
	"strings"
	"testing"
)

// TestLoopsReadToTheEnd holds loops that read lines to all lines: many, lines
// that are the same, lines that are not certain, and more than is followed.
func TestLoopsReadToTheEnd(t *testing.T) {
	for name, src := range map[string]string{
		"many":           "while read -r f; do rm \"$f\"; done <<'E'\n" + strings.Repeat("x\n", 40) + "a.txt\nE",
		"the same":       "while read f; do rm $f; done <<< $'x\\nx\\nx\\na.txt'",
		"found":          "find . -type f | while read f; do rm \"$f\"; done",
		"listed":         "ls | while read -r f; do rm \"$f\"; done",
		"not certain":    "{ [ $Q ] && echo x; seq 1 40; echo a.txt; } | while read f; do rm $f; done",
		"two a round":    "while read a; do read b; rm $b; done <<< $'x\\nx\\nx\\nx\\nx\\na.txt'",
		"with a count":   "i=0; while read f; do rm $f; i=$((i+1)); done <<< $'x\\nx\\nx\\na.txt'",
		"not followed":   "seq 1 9000 | while read f; do rm x$f; done",
		"without an end": "yes a.txt | while read f; do rm $f; done",
	} {
		v := Command(testContext("bash"), src)
		hit := v.Class == Irreversible
		for _, e := range v.Effects {
			hit = hit || e.Path == testApp+"/a.txt"
		}
		if !hit {
			t.Errorf("%s: a.txt is not among what %q deletes: %s", name, src, brief(v))
		}
	}
}
