package ledger

import (
	"slices"
	"time"
	"unicode/utf8"
)

// fit returns r as a line of fewer than MaxLine bytes. What does not fit is
// shortened, what people read last first, and named in Cut.
func fit(r Record) (Record, []byte, error) {
	r = clamp(r)
	line, err := encode(r)
	for step := 0; err == nil && len(line) >= MaxLine; step++ {
		if !shrink(&r, step) {
			break
		}
		line, err = encode(r)
	}
	return r, line, err
}

// clamp brings the fields of r into their promised range.
func clamp(r Record) Record {
	r.Time = r.Time.UTC().Round(0)
	if y := r.Time.Year(); y < 0 || y > 9999 {
		r.Time = time.Time{}
	}
	r.Cut = slices.Clone(r.Cut)
	r.lists(64)
	r.texts(2048)
	shorten(&r, "command", &r.Command, MaxCommand)
	shorten(&r, "intent", &r.Intent, MaxCommand)
	for name, s := range r.idents() {
		shorten(&r, name, s, 128)
	}
	return r
}

// lists keeps at most n of every list, and no text of theirs that is longer
// than a line.
func (r *Record) lists(n int) {
	if len(r.Paths) > n {
		r.More += len(r.Paths) - n
		r.Paths = r.Paths[:n]
		r.cut("paths")
	}
	first(r, "shared", &r.Shared, n)
	first(r, "temps", &r.Temps, n)
	first(r, "candidates", &r.Candidates, n)
	first(r, "surprise", &r.Surprise, n)
	first(r, "barrier", &r.Barrier, n)
	r.Barrier = slices.Clone(r.Barrier)
	for i := range r.Barrier {
		shorten(r, "barrier", &r.Barrier[i], MaxLine)
	}
}

// first keeps the first n of a list.
func first[T any](r *Record, name string, list *[]T, n int) {
	if len(*list) > n {
		*list = (*list)[:n]
		r.cut(name)
	}
}

// idents are the short texts that come from outside.
func (r *Record) idents() map[string]*string {
	return map[string]*string{
		"id": &r.ID, "kind": (*string)(&r.Kind), "harness": &r.Harness, "session": &r.Session,
		"prompt": &r.Prompt, "uuid": &r.UUID, "checkpoint": &r.Checkpoint, "call": &r.Call, "agent": &r.Agent, "tool": &r.Tool, "class": &r.Class,
		"fingerprint": &r.Fingerprint, "manifest": &r.Manifest, "call_sha256": &r.CallSHA, "undoes": &r.Undoes,
	}
}

// shrink takes the next step towards a shorter line and reports whether there
// was one.
func shrink(r *Record, step int) bool {
	switch {
	case len(r.Paths) > 1:
		drop := (len(r.Paths) + 1) / 2
		r.Paths = r.Paths[:len(r.Paths)-drop]
		r.More += drop
		r.cut("paths")
	case halve(r, "shared", &r.Shared), halve(r, "temps", &r.Temps), halve(r, "barrier", &r.Barrier),
		halve(r, "candidates", &r.Candidates), halve(r, "surprise", &r.Surprise):
	case r.Extra != nil:
		r.Extra = nil
		r.cut("extra")
	case r.texts(512), r.texts(128), r.texts(32):
	case len(r.Paths) == 1:
		r.Paths = nil
		r.More++
		r.cut("paths")
	case r.Cwd != "":
		r.Cwd = ""
		r.cut("cwd")
	case len(r.Shared)+len(r.Temps)+len(r.Barrier)+len(r.Candidates)+len(r.Surprise) > 0:
		r.Shared, r.Temps, r.Barrier, r.Candidates, r.Surprise = nil, nil, nil, nil, nil
	default:
		return false
	}
	return step < 1000
}

// texts shortens every longer text to n bytes and reports whether one was.
func (r *Record) texts(n int) bool {
	did := shorten(r, "reason", &r.Reason, n)
	did = shorten(r, "hint", &r.Hint, n) || did
	did = shorten(r, "inverse", &r.Inverse, n) || did
	did = shorten(r, "intent", &r.Intent, n) || did
	did = shorten(r, "command", &r.Command, n) || did
	if r.Proof != nil {
		p := *r.Proof
		did = shorten(r, "proof", &p.Reason, n) || did
		did = shorten(r, "proof", &p.Kind, n) || did
		r.Proof = &p
	}
	if len(r.Barrier) == 1 {
		b := r.Barrier[0]
		did = shorten(r, "barrier", &b, n) || did
		r.Barrier = []string{b}
	}
	for name, s := range r.idents() {
		if n < 128 {
			did = shorten(r, name, s, n*2) || did
		}
	}
	return did
}

// halve drops the second half of a list of more than one.
func halve[T any](r *Record, name string, list *[]T) bool {
	if len(*list) < 2 {
		return false
	}
	first(r, name, list, len(*list)/2)
	return true
}

// shorten cuts s to at most n bytes, between characters.
func shorten(r *Record, name string, s *string, n int) bool {
	if len(*s) <= n {
		return false
	}
	for n > 0 && !utf8.RuneStart((*s)[n]) {
		n--
	}
	*s = (*s)[:n]
	r.cut(name)
	return true
}

func (r *Record) cut(name string) {
	if !slices.Contains(r.Cut, name) {
		r.Cut = append(r.Cut, name)
		slices.Sort(r.Cut)
	}
}
