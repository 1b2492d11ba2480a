package git

import (
	"fmt"
	"strings"
)

// pushOptions is what the arguments of a push say.
type pushOptions struct {
	force, all, mirror, tags, remove, prune, follow, dryRun bool
	// followSet says that --follow-tags or its negation was given.
	followSet bool
	// lease says that some --force-with-lease is in force, leaseAll that it
	// covers every ref; leased are the refs named one by one.
	lease, leaseAll bool
	leased          []string
	recurse         string // of --recurse-submodules; "" when not given
	receivePack     string
	repo            string
	args            []string
}

// argument says whether an option takes a value.
type argument uint8

const (
	noValue argument = iota
	mayHave
	mustHave
)

// pushOption is one option of git push.
type pushOption struct {
	short byte
	long  string
	value argument
	apply func(o *pushOptions, value string, has, on bool)
}

// pushTable lists the options that git push knows.
func pushTable() []pushOption {
	nothing := func(*pushOptions, string, bool, bool) {}
	set := func(field func(*pushOptions) *bool) func(*pushOptions, string, bool, bool) {
		return func(o *pushOptions, _ string, _, on bool) { *field(o) = on }
	}
	return []pushOption{
		{'v', "verbose", noValue, nothing},
		{'q', "quiet", noValue, nothing},
		{0, "repo", mustHave, func(o *pushOptions, v string, _, _ bool) { o.repo = v }},
		{0, "all", noValue, set(func(o *pushOptions) *bool { return &o.all })},
		{0, "branches", noValue, set(func(o *pushOptions) *bool { return &o.all })},
		{0, "mirror", noValue, func(o *pushOptions, _ string, _, on bool) { o.mirror, o.force = on, on }},
		{'d', "delete", noValue, set(func(o *pushOptions) *bool { return &o.remove })},
		{0, "tags", noValue, set(func(o *pushOptions) *bool { return &o.tags })},
		{'n', "dry-run", noValue, set(func(o *pushOptions) *bool { return &o.dryRun })},
		{0, "porcelain", noValue, nothing},
		{'f', "force", noValue, set(func(o *pushOptions) *bool { return &o.force })},
		{0, "force-with-lease", mayHave, applyLease},
		{0, "force-if-includes", noValue, nothing},
		{0, "recurse-submodules", mustHave, func(o *pushOptions, v string, _, on bool) {
			if o.recurse = v; !on {
				o.recurse = "no"
			}
		}},
		{0, "thin", noValue, nothing},
		{0, "receive-pack", mustHave, func(o *pushOptions, v string, _, _ bool) { o.receivePack = v }},
		{0, "exec", mustHave, func(o *pushOptions, v string, _, _ bool) { o.receivePack = v }},
		{'u', "set-upstream", noValue, nothing},
		{0, "progress", noValue, nothing},
		{0, "prune", noValue, set(func(o *pushOptions) *bool { return &o.prune })},
		{0, "verify", noValue, nothing},
		{0, "follow-tags", noValue, func(o *pushOptions, _ string, _, on bool) { o.follow, o.followSet = on, true }},
		{0, "signed", mayHave, nothing},
		{0, "atomic", noValue, nothing},
		{'o', "push-option", mustHave, nothing},
		{'4', "ipv4", noValue, nothing},
		{'6', "ipv6", noValue, nothing},
	}
}

func applyLease(o *pushOptions, value string, has, on bool) {
	switch {
	case !on:
		o.lease, o.leaseAll, o.leased = false, false, nil
	case !has:
		o.lease, o.leaseAll = true, true
	default:
		name, _, _ := strings.Cut(value, ":")
		o.lease, o.leased = true, append(o.leased, name)
	}
}

// parsePush reads the arguments of git push as git does: options anywhere,
// letters in clusters, long names by a unique beginning. What git would refuse
// is an error, and so is an option that this version does not know.
func parsePush(args []string) (pushOptions, error) {
	var o pushOptions
	table := pushTable()
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--" || arg == "--end-of-options":
			o.args = append(o.args, args[i+1:]...)
			return o, nil
		case strings.HasPrefix(arg, "--"):
			used, err := o.long(table, arg[2:], args[i+1:])
			if err != nil {
				return o, err
			}
			i += used
		case len(arg) > 1 && arg[0] == '-':
			used, err := o.cluster(table, arg[1:], args[i+1:])
			if err != nil {
				return o, err
			}
			i += used
		default:
			o.args = append(o.args, arg)
		}
	}
	return o, nil
}

// cluster applies the letters of one argument and returns how many of the
// following arguments were values.
func (o *pushOptions) cluster(table []pushOption, letters string, rest []string) (int, error) {
	for i := range len(letters) {
		var opt *pushOption
		for k := range table {
			if table[k].short == letters[i] {
				opt = &table[k]
			}
		}
		switch {
		case opt == nil:
			return 0, fmt.Errorf("git push has no option -%c that is understood", letters[i])
		case opt.value != mustHave:
			opt.apply(o, "", false, true)
		case i+1 < len(letters):
			opt.apply(o, letters[i+1:], true, true)
			return 0, nil
		case len(rest) == 0:
			return 0, fmt.Errorf("git push -%c lacks its value", letters[i])
		default:
			opt.apply(o, rest[0], true, true)
			return 1, nil
		}
	}
	return 0, nil
}

// long applies one long option and returns how many of the following arguments
// were values.
func (o *pushOptions) long(table []pushOption, text string, rest []string) (int, error) {
	name, value, has := strings.Cut(text, "=")
	opt, on, err := findLong(table, name)
	switch {
	case err != nil:
		return 0, err
	case has && (opt.value == noValue || !on):
		return 0, fmt.Errorf("git push --%s takes no value", name)
	case has || !on || opt.value != mustHave:
		opt.apply(o, value, has, on)
		return 0, nil
	case len(rest) == 0:
		return 0, fmt.Errorf("git push --%s lacks its value", name)
	}
	opt.apply(o, rest[0], true, on)
	return 1, nil
}

// findLong finds the option that name, or a unique beginning of it, stands
// for. on is false for a negation.
func findLong(table []pushOption, name string) (opt *pushOption, on bool, err error) {
	for k := range table {
		for _, yes := range []bool{true, false} {
			full := table[k].long
			if !yes {
				full = "no-" + full
			}
			switch {
			case name == full:
				return &table[k], yes, nil
			case name != "" && strings.HasPrefix(full, name):
				if opt != nil && (opt.long != table[k].long || on != yes) {
					err = fmt.Errorf("git push --%s could be more than one option", name)
				}
				opt, on = &table[k], yes
			}
		}
	}
	if opt == nil {
		return nil, false, fmt.Errorf("git push has no option --%s that is understood", name)
	}
	return opt, on, err
}
