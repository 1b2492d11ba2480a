package shelloracle

import (
	"slices"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Main()
	m.Run()
}

// world is a tree with one of everything.
func world() Setup {
	return Setup{
		Fixture: Fixture{Roots: []string{"/home", "/tmp"}, Entries: map[string]Entry{
			"/home/u/d/a":    {Type: 'f', Data: "a\n"},
			"/home/u/d/b":    {Type: 'f', Data: "b\n"},
			"/home/u/empty":  {Type: 'd'},
			"/home/u/l":      {Type: 'l', Target: "d/a"},
			"/home/u/twin":   {Type: 'h', Target: "/home/u/d/b"},
			"/tmp/left/over": {Type: 'f', Data: "x"},
		}},
		Shells: Shells(),
		Dir:    "/home/u",
		Env:    []string{"HOME=/home/u", "PATH=/usr/bin:/bin:/oracle/bin"},
		Limit:  700 * time.Millisecond,
	}
}

func TestWhatShellsDo(t *testing.T) {
	if m := Missing(Shells()); len(m) > 0 {
		t.Skipf("NOT TESTED: these programs are missing: %v", m)
	}
	cases := []struct {
		src  string
		want []Change
	}{
		{"true", nil},
		{"rm d/a", []Change{{Gone, "/home/u/d/a"}}},
		{"/bin/rm d/a", []Change{{Gone, "/home/u/d/a"}}},
		{"perl -e 'unlink q(d/a)'", []Change{{Gone, "/home/u/d/a"}}},
		{"echo x > d/b", []Change{{Content, "/home/u/d/b"}, {Content, "/home/u/twin"}}},
		{"chmod 600 d/a", []Change{{Meta, "/home/u/d/a"}}},
		{"chmod 0 d", []Change{{Meta, "/home/u/d"}}},
		{"touch l", []Change{{Meta, "/home/u/d/a"}}},
		{"ln -sf x l", []Change{{Content, "/home/u/l"}}},
		{"rmdir empty && : > empty", []Change{{Content, "/home/u/empty"}}},
		{"echo new > n", []Change{{New, "/home/u/n"}}},
		{"(sleep 0.1; rm d/a) &", []Change{{Gone, "/home/u/d/a"}}},
		{"(sleep 0.1; rm d/a) >/dev/null 2>&1 &", []Change{{Gone, "/home/u/d/a"}}},
		{"setsid sh -c 'sleep 0.1; rm d/a' >/dev/null 2>&1 &", []Change{{Gone, "/home/u/d/a"}}},
		{"sudo -u root rm d/a", []Change{{Gone, "/home/u/d/a"}}},
		{"rm -rf /bin /lib64 /home/* /tmp/left", []Change{
			{Gone, "/home/u"},
			{Gone, "/home/u/d"},
			{Gone, "/home/u/d/a"},
			{Gone, "/home/u/d/b"},
			{Gone, "/home/u/empty"},
			{Gone, "/home/u/l"},
			{Gone, "/home/u/twin"},
			{Gone, "/tmp/left"},
			{Gone, "/tmp/left/over"},
		}},
		{"sleep 60", nil},
		{"true", nil},
	}
	var srcs []string
	for _, c := range cases {
		srcs = append(srcs, c.src)
	}
	got, err := Run(t.Context(), world(), srcs)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		for _, o := range got[i].Outcomes {
			if !slices.Equal(o.Changes, c.want) {
				t.Errorf("%s: %q: %v, want %v\n%s", o.Shell, c.src, o.Changes, c.want, o.Stderr)
			}
			if o.TimedOut != (c.src == "sleep 60") {
				t.Errorf("%s: %q: timed out: %v", o.Shell, c.src, o.TimedOut)
			}
		}
	}
}
