package git

import (
	"errors"
	"fmt"
	"strings"
)

// errNothing says that git itself would end without pushing anything.
var errNothing = errors.New("git would push nothing")

// rules is what a push sends where, before either side's refs are matched.
type rules struct {
	list []refspec
	// byHead says that what goes by force depends on the current branch, or on
	// which branches there are.
	byHead bool
}

// writtenRules turns the refspecs of the command line into rules.
func (p *pushPlan) writtenRules(args []string) ([]string, error) {
	var out []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "tag" && i+1 < len(args):
			i++
			out = append(out, prefixIf(p.opts.remove, ":")+"refs/tags/"+args[i])
		case arg == "tag":
			return nil, errors.New(`"tag" is not followed by one`)
		case p.opts.remove && (strings.Contains(arg, ":") || arg == ""):
			return nil, fmt.Errorf("--delete with %q, which is no plain name", arg)
		case p.opts.remove:
			out = append(out, ":"+arg)
		case strings.Contains(arg, ":"):
			out = append(out, arg)
		default:
			mapped, err := p.mapped(arg)
			if err != nil {
				return nil, err
			}
			out = append(out, mapped)
		}
	}
	if p.opts.tags {
		out = append(out, "refs/tags/*")
	}
	return out, nil
}

func prefixIf(on bool, s string) string {
	if on {
		return s
	}
	return ""
}

// mapped applies remote.*.push, or the upstream, to a source without a
// destination.
func (p *pushPlan) mapped(arg string) (string, error) {
	found, n := lookup(arg, p.local.List)
	if n != 1 {
		return arg, nil
	}
	for _, text := range p.target.push {
		rule, err := parseRefspec(text)
		if err != nil {
			return "", err
		}
		if rule.negative || rule.matching {
			continue
		}
		dst, ok := rule.dst, rule.src == found.Name
		if rule.pattern {
			dst, ok = mapName(rule.src, found.Name, rule.dst)
		}
		if ok && dst != "" {
			return prefixIf(rule.force, "+") + found.Name + ":" + dst, nil
		}
	}
	branch, isBranch := strings.CutPrefix(found.Name, "refs/heads/")
	if how, _ := p.config.last("push.default"); isBranch && (how == "upstream" || how == "tracking") {
		if merge := p.config.all("branch." + branch + ".merge"); len(merge) == 1 {
			return arg + ":" + merge[0], nil
		}
	}
	return arg, nil
}

// defaultRule is what push.default says when nothing else does. The error
// wraps errNothing when git would stop there.
func (p *pushPlan) defaultRule() (string, error) {
	how, _ := p.config.last("push.default")
	switch how {
	case "matching":
		return ":", nil
	case "nothing":
		return "", fmt.Errorf("%w: push.default is nothing", errNothing)
	case "", "simple", "upstream", "tracking", "current":
	default:
		return "", fmt.Errorf("push.default is %q", how)
	}
	branch := p.local.branch()
	if branch == "" {
		return "", fmt.Errorf("%w: no branch is checked out", errNothing)
	}
	full := "refs/heads/" + branch
	same := p.target.name == remoteOf(p.config, branch)
	if how == "current" || !same && (how == "" || how == "simple") {
		return full + ":" + full, nil
	}
	if !same {
		return "", fmt.Errorf("%w: %s is not the upstream of %s", errNothing, p.target.name, branch)
	}
	merge := p.config.all("branch." + branch + ".merge")
	auto, err := p.config.flag("push.autosetupremote", false)
	switch {
	case err != nil:
		return "", err
	case len(merge) == 0 && auto:
		return full + ":" + full, nil
	case len(merge) != 1:
		return "", fmt.Errorf("%w: %s has no single upstream", errNothing, branch)
	case how != "upstream" && how != "tracking" && merge[0] != full:
		return "", fmt.Errorf("%w: the upstream of %s has another name", errNothing, branch)
	}
	return full + ":" + merge[0], nil
}

// rules works out everything that is sent.
func (p *pushPlan) rules() (rules, error) {
	var texts []string
	var r rules
	var err error
	headed := false // what is sent depends on the current branch
	if len(p.opts.args) > 1 || p.opts.tags {
		if p.opts.all || p.mirror {
			return r, errors.New("--all or --mirror together with refspecs or --tags")
		}
		if texts, err = p.writtenRules(p.opts.args[min(1, len(p.opts.args)):]); err != nil {
			return r, err
		}
	}
	switch {
	case p.opts.remove && (p.opts.all || p.opts.mirror || p.opts.tags || len(texts) == 0):
		return r, errors.New("--delete does not name what to delete")
	case len(texts) > 0:
	case p.opts.all:
		texts = []string{":"}
	case len(p.target.push) > 0:
		texts = p.target.push
	case p.mirror:
		texts = []string{":"}
	default:
		text, err := p.defaultRule()
		if err != nil {
			return r, err
		}
		headed = true
		texts = []string{text}
	}
	for _, text := range texts {
		rule, err := parseRefspec(text)
		if err != nil {
			return r, err
		}
		if (rule.force || p.forced(nil)) && (headed || rule.matching || rule.pattern || !rule.hasDst && rule.src == "HEAD") {
			r.byHead = true
		}
		r.list = append(r.list, rule)
	}
	return r, nil
}
