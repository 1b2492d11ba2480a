package classify

import (
	"strings"
)

// xargsModels run a command on what they read.
func xargsModels() []*Model {
	return []*Model{
		{
			Names: []string{"xargs", "gxargs"}, Family: "wrapper", Title: "Runs a command on the names it reads",
			Undo: "as for the command", Class: Inert, Examples: []string{"ls *.log | xargs rm", "xargs -a LIST rm"},
			Options: &Grammar{Short: "0a:d:E:e::I:i::J:L:l::n:oP:prR:s:S:tx", Stop: true, Long: []string{
				"null", "arg-file=", "delimiter=", "eof=?", "replace=?", "max-lines=?", "max-args=", "open-tty", "interactive",
				"max-procs=", "no-run-if-empty", "max-chars=", "verbose", "exit", "show-limits", "process-slot-var=",
				"help", "version",
			}},
			Apply: applyXargs,
		},
		{
			Names: []string{"parallel"}, Family: "wrapper", Title: "Runs a shell line for each argument or input line",
			Undo: "as for the line", Class: Inert, Examples: []string{"parallel rm ::: A B"},
			Options: &Grammar{Short: "0a:C:d:hI:j:kL:ln:N:mP:pqrs:tuvXx", Stop: true, Long: []string{
				"null", "arg-file=", "colsep=", "delimiter=", "jobs=", "max-procs=", "keep-order", "max-lines=", "max-args=",
				"max-replace-args=", "quote", "no-run-if-empty", "verbose", "group", "ungroup", "line-buffer", "lb", "bar",
				"eta", "progress", "halt=", "timeout=", "retries=", "will-cite", "silent", "tag", "dry-run", "delay=", "nice=",
				"no-notice", "linebuffer", "memfree=", "load=", "shuf", "trim=", "xargs", "help", "version",
			}},
			Apply: applyParallel,
		},
	}
}

// batches is how often one xargs is followed; more is not known.
const batches = 4096

func applyXargs(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	cmd := inv.Operands()
	if len(cmd) == 0 {
		cmd = []Word{inv.Lit("echo")}
	}
	if inv.unsure {
		inv.Opaque("an argument of xargs is not known")
	}
	input, ok := xargsInput(inv)
	items, split := []string(nil), false
	if ok {
		items, split = xargsItems(inv, input)
	}
	if !split {
		runItems(inv, cmd, []Word{inv.UnknownWord("names that are read")})
		return
	}
	n := xargsBatch(inv, len(items))
	if len(items)/max(n, 1) > batches {
		runItems(inv, cmd, []Word{inv.UnknownWord("names that are read")})
		return
	}
	if len(items) == 0 {
		if inv.Has("r", "no-run-if-empty", "I", "i", "replace", "J") {
			inv.Inert("reads no names")
		} else {
			inv.RunWith(cmd, inv.Lit(""))
		}
		return
	}
	for at := 0; at < len(items); at += n {
		var words []Word
		for _, s := range items[at:min(at+n, len(items))] {
			words = append(words, inv.Lit(s))
		}
		runItems(inv, cmd, words)
	}
}

// xargsInput is the text that the names come from.
func xargsInput(inv *Invocation) (string, bool) {
	if file, ok := inv.Value("a", "arg-file"); ok {
		name, ok := file.One()
		if !ok {
			return "", false
		}
		data, ok := inv.Read(name)
		return string(data), ok
	}
	t := textOf(inv.StdinWord())
	return t.s, t.ok
}

// xargsBatch is how many names go to one call.
func xargsBatch(inv *Invocation, all int) int {
	if inv.Has("I", "i", "replace") {
		return 1
	}
	w, ok := inv.Value("n", "max-args", "L", "l", "max-lines")
	if !ok {
		if inv.Has("l", "max-lines") {
			return 1
		}
		return max(all, 1)
	}
	s, _ := w.One()
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 1<<20 {
			return 1
		}
		n = n*10 + int(c-'0')
	}
	return max(n, 1)
}

// runItems runs cmd with words put where they belong.
func runItems(inv *Invocation, cmd, words []Word) {
	mark, replace := "{}", inv.Has("I", "i", "replace")
	if w, ok := inv.Value("I", "replace", "i"); ok {
		mark, _ = w.One()
	}
	if j, ok := inv.Value("J"); ok {
		runAt(inv, cmd, words, j)
		return
	}
	if !replace {
		inv.RunWith(append(append([]Word{}, cmd...), words...), inv.Lit(""))
		return
	}
	argv := make([]Word, len(cmd))
	for i, w := range cmd {
		argv[i] = replaced(inv, w, mark, words[0])
	}
	inv.RunWith(argv, inv.Lit(""))
}

// runAt puts all words in the place of the argument that is mark.
func runAt(inv *Invocation, cmd, words []Word, mark Word) {
	m, _ := mark.One()
	for i, w := range cmd {
		if w.Is(m) {
			argv := append(append([]Word{}, cmd[:i]...), words...)
			inv.RunWith(append(argv, cmd[i+1:]...), inv.Lit(""))
			return
		}
	}
	inv.RunWith(append(append([]Word{}, cmd...), words...), inv.Lit(""))
}

// replaced is w with every mark in it exchanged for item.
func replaced(inv *Invocation, w Word, mark string, item Word) Word {
	s, ok := w.One()
	if !ok {
		return inv.UnknownWord(w.Source())
	}
	if mark == "" || !strings.Contains(s, mark) {
		return w
	}
	out := known("")
	for i, piece := range strings.Split(s, mark) {
		if i > 0 {
			out = out.concat(item.val)
		}
		out = out.concat(known(piece))
	}
	w.val = out
	return w
}

// xargsItems splits input into names as the options say.
func xargsItems(inv *Invocation, input string) ([]string, bool) {
	if inv.Has("0", "null") {
		return splitTerminated(input, "\x00"), true
	}
	if d, ok := inv.Value("d", "delimiter"); ok {
		sep, ok := d.One()
		switch {
		case !ok:
			return nil, false
		case sep == `\n`:
			sep = "\n"
		case sep == `\0`:
			sep = "\x00"
		case sep == `\t`:
			sep = "\t"
		case len(sep) != 1:
			return nil, false
		}
		return splitTerminated(input, sep), true
	}
	if inv.Has("E", "e", "eof") {
		return nil, false
	}
	return splitQuoted(input, inv.Has("I", "i", "replace"))
}

// splitTerminated splits text whose pieces end with sep; the last may lack it.
func splitTerminated(text, sep string) []string {
	text = strings.TrimSuffix(text, sep)
	if text == "" {
		return nil
	}
	return strings.Split(text, sep)
}

// splitQuoted splits as xargs does by default: at blanks, or at newlines only,
// with quotes and backslashes. It gives up on an open quote.
func splitQuoted(text string, lines bool) ([]string, bool) {
	var out []string
	var b strings.Builder
	begun := false
	end := func() {
		if begun {
			out = append(out, b.String())
			b.Reset()
			begun = false
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n' || !lines && (c == ' ' || c == '\t'):
			end()
		case lines && !begun && (c == ' ' || c == '\t'):
		case c == '\\' && i+1 < len(text):
			i++
			begun = true
			b.WriteByte(text[i])
		case c == '\'' || c == '"':
			j := strings.IndexByte(text[i+1:], c)
			if j < 0 || strings.Contains(text[i+1:i+1+j], "\n") {
				return nil, false
			}
			begun = true
			b.WriteString(text[i+1 : i+1+j])
			i += 1 + j
		default:
			begun = true
			b.WriteByte(c)
		}
	}
	end()
	return out, true
}
