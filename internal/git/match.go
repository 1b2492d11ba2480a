package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// update is one ref that a push writes.
type update struct {
	dst   string
	src   string // empty for a deletion
	new   OID
	force bool
}

// match works out which refs of a remote the rules write, as git does once it
// has read both sides. A source that does not exist yet is taken as one that
// an earlier part of the call makes.
func (p *pushPlan) match(ctx context.Context, r rules, there []ref) ([]update, error) {
	m := matcher{plan: p, there: there, at: map[string]int{}}
	for _, rule := range r.list {
		if rule.matching || rule.pattern || rule.negative {
			continue
		}
		if err := m.explicit(ctx, rule); err != nil {
			return nil, err
		}
	}
	m.rest(r)
	if err := m.followTags(ctx); err != nil {
		return nil, err
	}
	if p.opts.prune {
		m.prune(r)
	}
	if p.mirror {
		m.dropUnmirrored()
	}
	return slices.DeleteFunc(m.out, func(u update) bool { return excluded(r, u.dst) }), nil
}

type matcher struct {
	plan  *pushPlan
	there []ref
	out   []update
	at    map[string]int // destination → index in out
}

func (m *matcher) add(u update) {
	m.at[u.dst] = len(m.out)
	m.out = append(m.out, u)
}

// explicit matches one rule without a pattern.
func (m *matcher) explicit(ctx context.Context, rule refspec) error {
	src, u := ref{OID: Absent}, update{force: rule.force, new: Absent}
	if rule.src != "" {
		var err error
		if src, err = m.source(ctx, rule.src); err != nil {
			return err
		}
		u.src, u.new = rule.src, src.OID
	}
	dst := rule.dst
	if !rule.hasDst {
		dst = src.Name
		if rule.src == "HEAD" || src.Target != "" {
			if dst = cmp.Or(src.Target, src.Name); !strings.HasPrefix(dst, "refs/heads/") {
				return fmt.Errorf("%w: %q is on no branch", errNothing, rule.src)
			}
		}
	}
	names, err := m.destination(dst, src, u.src == "")
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, twice := m.at[name]; twice {
			return fmt.Errorf("%q is written twice", name)
		}
		if !validRef(name) {
			return fmt.Errorf("%q is no name for a ref", name)
		}
		u.dst = name
		m.add(u)
	}
	return nil
}

// source resolves the source of a rule. The name is full when it is known to
// be a ref.
func (m *matcher) source(ctx context.Context, text string) (ref, error) {
	p := m.plan
	found, n := lookup(text, p.local.List)
	switch {
	case n == 1:
		return found, nil
	case n > 1:
		return ref{}, fmt.Errorf("%q means more than one ref here", text)
	case text == "HEAD":
		return ref{Name: p.local.Head, OID: cmp.Or(p.local.HeadOID, Unknown)}, nil
	case isOID(text):
		return ref{Name: text, OID: OID(text)}, nil
	}
	v, err := p.view()
	if err != nil {
		return ref{}, err
	}
	return ref{Name: text, OID: v.resolve(ctx, text)}, nil
}

// destination resolves the destination of a rule: more than one name when it
// cannot be told which of them git will take.
func (m *matcher) destination(dst string, src ref, remove bool) ([]string, error) {
	found, n := lookup(dst, m.there)
	switch {
	case n == 1:
		return []string{found.Name}, nil
	case n > 1:
		return nil, fmt.Errorf("%q means more than one ref of the remote", dst)
	case strings.HasPrefix(dst, "refs/"):
		return []string{dst}, nil
	case remove:
		// An earlier part of the call may create it, as either.
		return []string{"refs/heads/" + dst, "refs/tags/" + dst}, nil
	case strings.HasPrefix(src.Name, "refs/heads/"):
		return []string{"refs/heads/" + dst}, nil
	case strings.HasPrefix(src.Name, "refs/tags/"):
		return []string{"refs/tags/" + dst}, nil
	case src.OID == Unknown:
		return []string{"refs/heads/" + dst, "refs/tags/" + dst}, nil
	}
	return nil, fmt.Errorf("%w: %q is neither a branch nor a tag of the remote", errNothing, dst)
}

// rest matches the patterns and ":" against the refs of this side.
func (m *matcher) rest(r rules) {
	for _, have := range m.plan.local.List {
		rule, dst, ok := m.pick(r, have.Name, true)
		if !ok {
			continue
		}
		if _, done := m.at[dst]; done {
			continue
		}
		s := refSet{List: m.there}
		if _, exists := s.find(dst); !exists && rule.matching && !m.plan.opts.all && !m.plan.mirror {
			continue
		}
		m.add(update{dst: dst, src: have.Name, new: have.OID, force: rule.force})
	}
}

// pick finds the rule for name, a ref of this side or, when forward is false,
// of the other, and what it is called there.
func (m *matcher) pick(r rules, name string, forward bool) (refspec, string, bool) {
	matching := -1
	for i, rule := range r.list {
		if rule.negative {
			continue
		}
		if rule.matching {
			if matching < 0 || rule.force {
				matching = i
			}
			continue
		}
		if !rule.pattern {
			continue
		}
		from, to := rule.src, rule.dst
		if !rule.hasDst {
			to = rule.src
		}
		if !forward {
			from, to = to, from
		}
		if other, ok := mapName(from, name, to); ok {
			return rule, other, true
		}
	}
	if matching < 0 || !m.plan.mirror && !strings.HasPrefix(name, "refs/heads/") {
		return refspec{}, "", false
	}
	return r.list[matching], name, true
}

// prune deletes what the rules cover and this side does not have.
func (m *matcher) prune(r rules) {
	for _, have := range m.there {
		if _, done := m.at[have.Name]; done {
			continue
		}
		if _, src, ok := m.pick(r, have.Name, false); ok {
			if _, exists := m.plan.local.find(src); !exists {
				m.add(update{dst: have.Name, new: Absent})
			}
		}
	}
}

// dropUnmirrored deletes what a mirror does not have.
func (m *matcher) dropUnmirrored() {
	for _, have := range m.there {
		if _, done := m.at[have.Name]; !done {
			m.add(update{dst: have.Name, new: Absent})
		}
	}
}

// followTags adds the annotated tags that the remote lacks. All of them are
// taken: which of them can be reached from what is sent would have to be found
// out by walking history, and one that is not sent costs nothing.
func (m *matcher) followTags(ctx context.Context) error {
	p := m.plan
	if !p.follow {
		return nil
	}
	var tags []ref
	s := refSet{List: m.there}
	for _, t := range p.local.List {
		_, there := s.find(t.Name)
		if _, done := m.at[t.Name]; !there && !done && strings.HasPrefix(t.Name, "refs/tags/") {
			tags = append(tags, t)
		}
	}
	if len(tags) == 0 {
		return nil
	}
	v, err := p.view()
	if err != nil {
		return err
	}
	kinds, err := v.kinds(ctx, tags)
	if err != nil {
		return err
	}
	for i, t := range tags {
		if kinds[i] == "tag" {
			m.add(update{dst: t.Name, src: t.Name, new: t.OID})
		}
	}
	return nil
}

// kinds asks what kind of object each ref leads to.
func (v view) kinds(ctx context.Context, list []ref) ([]string, error) {
	var in strings.Builder
	for _, r := range list {
		in.WriteString(string(r.OID) + "\n")
	}
	res, err := v.door.git(ctx, run{
		gitDir: v.dir, stdin: strings.NewReader(in.String()), limit: 64 << 20,
		args: []string{"cat-file", "--batch-check=%(objecttype)"},
	})
	if err != nil {
		return nil, err
	}
	out := strings.Split(strings.TrimSuffix(string(res.Stdout), "\n"), "\n")
	if len(out) != len(list) {
		return nil, errors.New("git cat-file: not one answer per object")
	}
	return out, nil
}

// excluded reports whether a negative rule keeps dst from being written.
func excluded(r rules, dst string) bool {
	for _, rule := range r.list {
		if !rule.negative {
			continue
		}
		if rule.src == dst {
			return true
		}
		if _, ok := mapName(rule.src, dst, rule.src); ok && rule.pattern {
			return true
		}
	}
	return false
}
