package classify

import (
	"strings"
)

// Grammar says how a tool reads its options, in the way of getopt_long:
// clusters of short options, long options by any unique beginning, "--",
// options after operands.
type Grammar struct {
	// Short lists short options in getopt form: "rf" take no value, "o:" takes
	// one (joined or the next word), "s::" takes one only when joined.
	Short string
	// Long lists long options without dashes: "recursive" takes no value,
	// "output=" takes one (after "=" or the next word), "backup=?" takes one
	// only after "=".
	Long []string
	// Stop says that options end at the first operand, as for a wrapper whose
	// operands are another command.
	Stop bool
	// Numeric accepts -5 as option "#" with value 5.
	Numeric bool
	// Plus accepts words that begin with "+" as option "+" with the rest as
	// its value.
	Plus bool
	// OneDash says that long options are spelled with one dash as well and
	// that there are no clusters, as Go programs do.
	OneDash bool
	// Exact says that long options cannot be abbreviated.
	Exact bool
	// Lenient says that no option of the tool can write, so that one which is
	// not listed does not matter.
	Lenient bool
}

// token is what is known of one argument while options are parsed: head is its
// beginning, whole says that there is nothing behind it.
type token struct {
	head  string
	whole bool
}

// option is one option as given. Its value, if has is set, is argument number
// word with its first cut bytes removed.
type option struct {
	name string
	word int
	cut  int
	has  bool
}

// parsed is a command line taken apart. operands are indices of arguments.
// unsure says that an argument which is not known was taken as an operand
// though it could be an option. problem is why the line is not understood;
// then the rest is what was read so far.
type parsed struct {
	options  []option
	operands []int
	unsure   bool
	problem  string
}

// parse takes args apart. It never fails: what it does not understand is in
// problem. A nil grammar makes every argument an operand.
func (g *Grammar) parse(args []token) parsed {
	p := parser{g: g, args: args}
	for p.next < len(args) && p.out.problem == "" {
		i := p.next
		p.next++
		if !p.one(i) {
			p.out.operands = append(p.out.operands, i)
			if g == nil || g.Stop {
				p.rest()
			}
		}
	}
	return p.out
}

type parser struct {
	g    *Grammar
	args []token
	next int
	out  parsed
}

// rest takes every argument that is left as an operand.
func (p *parser) rest() {
	for ; p.next < len(p.args); p.next++ {
		p.out.operands = append(p.out.operands, p.next)
	}
}

// one reads argument i as an option and reports whether it was one.
func (p *parser) one(i int) bool {
	t := p.args[i]
	switch {
	case p.g == nil:
		return false
	case t.head == "" && !t.whole:
		p.out.unsure = true
		return false
	case p.g.Plus && strings.HasPrefix(t.head, "+") && t.head != "+":
		p.add(option{name: "+", word: i, cut: 1, has: true})
		return true
	case t.head == "-" && !t.whole:
		p.problem("option is not known")
		return true
	case t.head == "-" || !strings.HasPrefix(t.head, "-"):
		return false
	case t.head == "--" && t.whole:
		p.rest()
		return true
	case strings.HasPrefix(t.head, "--"):
		p.long(i, 2)
		return true
	case p.g.Numeric && isDigits(t.head[1:]):
		p.add(option{name: "#", word: i, cut: 1, has: true})
		return true
	case p.g.OneDash:
		p.long(i, 1)
		return true
	default:
		p.cluster(i)
		return true
	}
}

// long reads --name, --name=value and --name value; dashes is how many dashes
// argument i begins with.
func (p *parser) long(i, dashes int) {
	t := p.args[i]
	name, _, joined := strings.Cut(t.head[dashes:], "=")
	if !joined && !t.whole {
		p.problem("option " + t.head + "… is not known")
		return
	}
	full, value, why := p.g.lookup(name)
	if why != "" {
		p.problem(why + " " + t.head[:dashes] + name)
		return
	}
	o := option{name: full, word: i, cut: dashes + len(name) + 1, has: joined}
	switch {
	case joined && value == noValue:
		p.problem("option --" + full + " takes no value")
	case joined || value != needsValue:
		p.add(o)
	default:
		p.follow(o)
	}
}

// cluster reads -abc, -ovalue and -o value.
func (p *parser) cluster(i int) {
	t := p.args[i]
	for at := 1; at < len(t.head); at++ {
		c := t.head[at]
		if p.g.Numeric && at > 1 && c >= '0' && c <= '9' {
			continue
		}
		value, ok := p.g.short(c)
		if !ok {
			p.problem("unknown option -" + string(rune(c)))
			return
		}
		o := option{name: string(rune(c)), word: i, cut: at + 1}
		last := at+1 == len(t.head) && t.whole
		if value == noValue || value == mayValue && last {
			p.add(o)
			continue
		}
		if !last {
			o.has = true
			p.add(o)
			return
		}
		p.follow(o)
		return
	}
	if !t.whole {
		p.problem("options behind " + t.head + " are not known")
	}
}

// follow takes the next argument as the value of o.
func (p *parser) follow(o option) {
	if p.next == len(p.args) {
		p.problem("option " + dashed(o.name) + " needs a value")
		return
	}
	o.word, o.cut, o.has = p.next, 0, true
	p.next++
	p.add(o)
}

func (p *parser) add(o option) { p.out.options = append(p.out.options, o) }

func (p *parser) problem(why string) {
	if p.g.Lenient {
		return
	}
	p.out.problem = why
}

type valueRule uint8

const (
	noValue valueRule = iota
	mayValue
	needsValue
)

// short finds a short option.
func (g *Grammar) short(c byte) (valueRule, bool) {
	at := strings.IndexByte(g.Short, c)
	if at < 0 || c == ':' {
		return noValue, false
	}
	switch rest := g.Short[at+1:]; {
	case strings.HasPrefix(rest, "::"):
		return mayValue, true
	case strings.HasPrefix(rest, ":"):
		return needsValue, true
	default:
		return noValue, true
	}
}

// lookup finds a long option by its name or a unique beginning of it; why is
// not empty when there is none or more than one.
func (g *Grammar) lookup(name string) (full string, value valueRule, why string) {
	why = "unknown option"
	for _, spec := range g.Long {
		long, rule := longSpec(spec)
		switch {
		case long == name:
			return long, rule, ""
		case g.Exact || g.OneDash || name == "" || !strings.HasPrefix(long, name):
		case why == "":
			full, why = "", "ambiguous option"
		case why == "unknown option":
			full, value, why = long, rule, ""
		}
	}
	return full, value, why
}

func longSpec(spec string) (string, valueRule) {
	switch {
	case strings.HasSuffix(spec, "=?"):
		return spec[:len(spec)-2], mayValue
	case strings.HasSuffix(spec, "="):
		return spec[:len(spec)-1], needsValue
	default:
		return spec, noValue
	}
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
