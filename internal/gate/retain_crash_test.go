//go:build failpoints

package gate

import (
	"context"
	"os"
	"testing"
)

// TestTheRecordComesFirst: whatever a kill leaves, a payload that is gone has a
// record that says so.
func TestTheRecordComesFirst(t *testing.T) {
	for _, point := range []string{"gate.forgotten", "ledger.write", "ledger.sync"} {
		k := newKept(t)
		a, b := k.armed(), k.armed()
		k.days(15)
		t.Setenv("COUNTERSTEP_FAIL", point+":1+:5")
		if k.g.retain(context.Background(), k.st) == nil {
			t.Errorf("%s: no error", point)
		}
		os.Unsetenv("COUNTERSTEP_FAIL")
		for _, id := range []string{a, b} {
			if !k.holds(id) {
				t.Errorf("%s: the payload went before its record was durable", point)
			}
		}
		k.days(1)
		k.retain()
		k.want(point, a, false, 1)
		k.want(point, b, false, 1)
	}
}
