package classify

import "testing"

// TestProtectedByOneCheckAlone: the checks that keep a place out of reach often
// cover for each other; each must hold where it stands alone.
func TestProtectedByOneCheckAlone(t *testing.T) {
	bare := testContext("bash")
	bare.Protected, bare.ProtectedBelow = nil, nil
	below := bare
	below.ProtectedBelow = func(dir string) (string, string, bool) {
		return testApp + "/d/1", "the binary", dir == testApp+"/d"
	}
	for _, c := range []struct {
		name string
		ctx  Context
		src  string
		want Class
	}{
		{"home", bare, `rm -rf ~`, Irreversible},
		{"home", bare, `mv ~ /tmp/x`, Irreversible},
		{"what holds home", bare, `rm -rf /home`, Irreversible},
		{"the root", bare, `rm -rf /`, Irreversible},
		{"a folder in home", bare, `rm -rf ~/other`, Invertible},
		{"what holds something protected", below, `rm -rf d`, Irreversible},
		{"what holds something protected", below, `mv d e`, Irreversible},
		{"what lies beside it", below, `rm d/2`, Invertible},
	} {
		if v := Command(c.ctx, c.src); v.Class != c.want {
			t.Errorf("%s: %s is %v: %s", c.name, c.src, v.Class, why(v))
		}
	}
}

// TestHiddenNamesWidenWhatFollows: after a line made a name stand for another
// program, it is the later call that is not known, with the folders it names.
func TestHiddenNamesWidenWhatFollows(t *testing.T) {
	for _, src := range []string{`hash -p ./evil.sh ls; ls /tmp`, `enable -f ./x.so ls; ls /tmp`} {
		v := Command(testContext("bash"), src)
		last := v.Parts[len(v.Parts)-1]
		if last.Text != "ls /tmp" || last.Class != Bounded || !contains(v.Wide, "/tmp") {
			t.Errorf("%s: %+v, folders %q", src, last, v.Wide)
		}
	}
}
