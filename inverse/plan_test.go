package inverse_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/inverse"
)

// disk is a fake: paths and what they are; a device number may follow.
type disk map[string]classify.Info

func (d disk) Lstat(p string) (classify.Info, error) {
	if i, ok := d[p]; ok {
		return i, nil
	}
	return classify.Info{Type: '-'}, nil
}

func (d disk) Listing(dir string) (int64, uint64, error) { return 42, uint64(len(dir)), nil }

func shape(s inverse.Step) string {
	var parts []string
	for _, r := range s.Roots {
		t := string(r.Path)
		if r.Tree {
			t += "/**"
		}
		if r.Gone {
			t += " gone"
		}
		if r.Born {
			t += " born"
		}
		parts = append(parts, t)
	}
	for _, m := range s.Moves {
		parts = append(parts, string(m.From)+" from "+string(m.To))
	}
	return strings.Join(parts, ", ")
}

func TestPlan(t *testing.T) {
	d := disk{
		"/w": {Type: 'd', Dev: 1}, "/w/a": {Type: 'f', Dev: 1, Ino: 2}, "/w/b": {Type: 'f', Dev: 1, Ino: 3}, "/w/d": {Type: 'd', Dev: 1, Ino: 4},
		"/w/d/x": {Type: 'f', Dev: 1, Ino: 5}, "/w/a.b": {Type: 'f', Dev: 1, Ino: 6}, "/other": {Type: 'd', Dev: 9},
	}
	type e = classify.Effect
	for _, c := range []struct {
		name    string
		effects []e
		want    string
	}{
		{"one file", []e{{Kind: classify.Delete, Path: "/w/a"}}, "/w/a gone"},
		{"a tree swallows what is below it", []e{{Kind: classify.Delete, Path: "/w/d/x"}, {Kind: classify.Delete, Path: "/w/d", Tree: true}}, "/w/d/** gone"},
		{"deleted and made again is not gone", []e{{Kind: classify.Delete, Path: "/w/d", Tree: true}, {Kind: classify.Create, Path: "/w/d/new"}}, "/w/d/**"},
		{"names that share a beginning are not below each other", []e{{Kind: classify.Delete, Path: "/w/a", Tree: true}, {Kind: classify.Delete, Path: "/w/a.b"}}, "/w/a/** gone, /w/a.b gone"},
		{"created: from the topmost new directory", []e{{Kind: classify.Create, Path: "/w/n/m/f"}}, "/w/n/** born"},
		{"a move alone is by identity", []e{{Kind: classify.Move, Path: "/w/d", To: "/w/e"}}, "/w/d from /w/e"},
		{"a move onto something is by bytes", []e{{Kind: classify.Move, Path: "/w/a", To: "/w/b"}}, "/w/a/** gone, /w/b/**"},
		{"a move to another device is by bytes", []e{{Kind: classify.Move, Path: "/w/a", To: "/other/a"}}, "/other/a/** born, /w/a/** gone"},
		{"a move whose destination is touched is by bytes", []e{{Kind: classify.Move, Path: "/w/d", To: "/w/e"}, {Kind: classify.Delete, Path: "/w/e", Tree: true}}, "/w/d/** gone, /w/e/** born"},
		{"what only might be deleted is not gone", []e{{Kind: classify.Delete, Path: "/w/a", May: true}}, "/w/a"},
		{"what is no file effect is left to others", []e{{Kind: classify.External, Path: "x"}, {Kind: classify.RefUpdate, Path: "/w"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := inverse.Plan(c.effects, d)
			if err != nil {
				t.Fatal(err)
			}
			if got := shape(s); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			for _, r := range s.Roots {
				if len(s.Parents) == 0 {
					t.Errorf("no directory around %s", r.Path)
				}
			}
		})
	}
}

func TestStepSurvivesJSON(t *testing.T) {
	want := inverse.Step{
		Roots: []inverse.Root{{Path: "/w/\xff\n", Tree: true, Gone: true}},
		Moves: []inverse.Move{{From: "/a", To: "/b", Dev: 1, Ino: 2}},
	}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got inverse.Step
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if shape(got) != shape(want) || got.Roots[0].Path != want.Roots[0].Path {
		t.Errorf("%q became %q", shape(want), shape(got))
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 34123: "34.1 kB", 999_950: "1.0 MB", 5 << 30: "5.4 GB"} {
		if got := inverse.Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}
