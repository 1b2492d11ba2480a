package history

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/merge"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// Query is what to look for; one of the three.
type Query struct {
	// Text is looked for in commands, intents and paths, whatever its case.
	Text string
	// Added is looked for in texts: calls that changed how often it is there.
	Added string
	// Lines is a regular expression for lines that calls added or removed.
	Lines string
}

// Match is one place in which a call matches.
type Match struct {
	Call Ref `json:"call"`
	// In is command, intent, path, added or removed.
	In   string       `json:"in"`
	Path inverse.Name `json:"path,omitempty"`
	// Text is the line or the text that matches.
	Text string `json:"text,omitempty"`
}

// Found is what a search found, the newest call first.
type Found struct {
	V       int     `json:"v"`
	Matches []Match `json:"matches"`
	Unread  int     `json:"unread,omitempty"`
}

// maxMatches bounds the matches of one call.
const maxMatches = 50

// Search looks through what calls did. Undos are not looked at.
func (b Book) Search(ctx context.Context, q Query) (Found, error) {
	var match func(*fire.Changes) []Match
	switch {
	case q.Lines != "":
		re, err := regexp.Compile(q.Lines)
		if err != nil {
			return Found{}, hint.Exit(hint.New("counterstep search --help", "%q is no regular expression: %w", q.Lines, err), 2)
		}
		match = func(c *fire.Changes) []Match { return changedLines(c, re) }
	case q.Added != "":
		match = func(c *fire.Changes) []Match { return counted(c, []byte(q.Added)) }
	default:
		return b.searchText(ctx, strings.ToLower(q.Text))
	}
	out := Found{V: 1, Matches: []Match{}}
	unread, err := b.each(ctx, func(c *fire.Changes) bool {
		if c.Saga.Armed.Undoes == "" {
			out.Matches = append(out.Matches, match(c)...)
		}
		return true
	})
	out.Unread = unread
	slices.Reverse(out.Matches)
	return out, err
}

// texts calls do with both texts of every changed file of which they are known.
func texts(c *fire.Changes, do func(path string, before, after []byte)) {
	for _, ch := range c.List {
		before, okB := c.Before(ch)
		after, okA := c.After(ch)
		if okA && okB && !bytes.Equal(before, after) {
			do(ch.Path, before, after)
		}
	}
}

// counted finds texts in which something is more or less often than before.
func counted(c *fire.Changes, what []byte) (out []Match) {
	ref := refTo(c.Saga, &c.Call)
	texts(c, func(path string, before, after []byte) {
		in := ""
		switch n := bytes.Count(after, what) - bytes.Count(before, what); {
		case n > 0:
			in = "added"
		case n < 0:
			in = "removed"
		default:
			return
		}
		from := after
		if in == "removed" {
			from = before
		}
		out = append(out, Match{Call: ref, In: in, Path: inverse.Name(path), Text: lineWith(from, what)})
	})
	return out
}

// lineWith is the first line that something begins in.
func lineWith(text, what []byte) string {
	i := bytes.Index(text, what)
	start := bytes.LastIndexByte(text[:i], '\n') + 1
	end := len(text)
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		end = i + n
	}
	return strings.TrimSuffix(string(text[start:end]), "\r")
}

// changedLines finds added and removed lines.
func changedLines(c *fire.Changes, re *regexp.Regexp) (out []Match) {
	ref := refTo(c.Saga, &c.Call)
	texts(c, func(path string, before, after []byte) {
		if merge.Binary(before) || merge.Binary(after) {
			return
		}
		x, y := merge.Lines(before), merge.Lines(after)
		add := func(in string, lines [][]byte) {
			for _, l := range lines {
				if l = bytes.TrimRight(l, "\r\n"); re.Match(l) && len(out) < maxMatches {
					out = append(out, Match{Call: ref, In: in, Path: inverse.Name(path), Text: string(l)})
				}
			}
		}
		for _, h := range merge.Diff(x, y) {
			add("removed", x[h.A0:h.A1])
			add("added", y[h.B0:h.B1])
		}
	})
	slices.Reverse(out)
	return out
}

// searchText looks through commands, intents and paths.
func (b Book) searchText(ctx context.Context, text string) (Found, error) {
	out := Found{V: 1, Matches: []Match{}}
	all, err := b.sagas()
	if err != nil {
		return out, err
	}
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	for _, s := range slices.Backward(all) {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if s.Armed.Undoes != "" || s.Armed.Kind == "" {
			continue
		}
		ref := refTo(s, nil)
		var paths []string
		for _, p := range s.Armed.Paths {
			paths = append(paths, string(p))
		}
		if holds(s) && !b.describe(ctx, s, &ref, &paths) {
			out.Unread++
		}
		out.Matches = append(out.Matches, textMatches(ref, paths, has)...)
	}
	return out, nil
}

// describe adds what the payload of a call says about it.
func (b Book) describe(ctx context.Context, s ledger.Saga, ref *Ref, paths *[]string) bool {
	_, ok := b.open(ctx, s, func(c *fire.Changes) bool {
		*ref = refTo(s, &c.Call)
		for _, ch := range c.List {
			*paths = append(*paths, ch.Path)
		}
		for _, m := range c.Moves {
			*paths = append(*paths, string(m.From), string(m.To))
		}
		return true
	})
	return ok
}

func textMatches(ref Ref, paths []string, has func(string) bool) (out []Match) {
	if has(ref.Command) {
		out = append(out, Match{Call: ref, In: "command", Text: ref.Command})
	}
	if has(ref.Intent) {
		out = append(out, Match{Call: ref, In: "intent", Text: ref.Intent})
	}
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		if has(p) && len(out) < maxMatches {
			out = append(out, Match{Call: ref, In: "path", Path: inverse.Name(p)})
		}
	}
	return out
}
