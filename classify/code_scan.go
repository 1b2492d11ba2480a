package classify

import "strings"

// codeCall is a call in code that names what it runs or removes.
type codeCall struct {
	arg   string
	shell bool
}

// codeCalls finds calls with a plain string as their first argument: those
// that run a shell and those that remove a path. It is a search for what can
// be seen, not a proof that there is no more.
func codeCalls(code string) []codeCall {
	var out []codeCall
	for _, name := range []string{
		"system", "popen", "execSync", "exec", "spawnSync", "spawn", "getoutput", "getstatusoutput", "run", "call", "check_call",
		"check_output", "Popen", "shell_exec", "passthru", "proc_open",
	} {
		for _, s := range firstStrings(code, name) {
			out = append(out, codeCall{arg: s, shell: true})
		}
	}
	for _, name := range []string{
		"rmtree", "remove_tree", "rm_rf", "rm_r", "rmSync", "rmdirSync", "unlinkSync", "removeSync", "unlink", "remove", "removedirs",
		"rmdir", "rimraf", "RemoveAll", "delete_dir", "rm",
	} {
		for _, s := range firstStrings(code, name) {
			if s != "" && !strings.ContainsAny(s, "\n*") {
				out = append(out, codeCall{arg: s})
			}
		}
	}
	return out
}

// firstStrings are the strings that stand first in calls of name, and with
// Path("…").name() the string of the path.
func firstStrings(code, name string) []string {
	var out []string
	for at := 0; ; {
		i := strings.Index(code[at:], name)
		if i < 0 {
			return out
		}
		start := at + i
		at = start + len(name)
		if start > 0 && isNameByte(code[start-1]) || at < len(code) && isNameByte(code[at]) {
			continue
		}
		rest := strings.TrimLeft(code[at:], " \t")
		rest = strings.TrimLeft(strings.TrimPrefix(rest, "("), " \t\n")
		if s, ok := quotedStart(rest); ok {
			out = append(out, s)
		} else if s, ok := pathBefore(code[:start]); ok {
			out = append(out, s)
		}
	}
}

// quotedStart is the string literal that s begins with.
func quotedStart(s string) (string, bool) {
	for len(s) > 1 && strings.IndexByte("rbfuRBFU", s[0]) >= 0 && (s[1] == '"' || s[1] == '\'') {
		s = s[1:]
	}
	if s == "" || strings.IndexByte("\"'`", s[0]) < 0 {
		return "", false
	}
	end := quotedEnd(s, 0, s[0])
	if end > len(s) || end < 2 || s[end-1] != s[0] {
		return "", false
	}
	return s[1 : end-1], true
}

// pathBefore is the string in a `Path("…").` that s ends with.
func pathBefore(s string) (string, bool) {
	s, ok := strings.CutSuffix(s, ").")
	if !ok || s == "" {
		return "", false
	}
	end := s[len(s)-1]
	if end != '"' && end != '\'' {
		return "", false
	}
	i := strings.LastIndexByte(s[:len(s)-1], end)
	if i < 0 || !strings.HasSuffix(s[:i], "Path(") {
		return "", false
	}
	return s[i+1 : len(s)-1], true
}

// onlyPrints reports that code provably reads and prints only.
func onlyPrints(lang, code string) bool {
	switch lang {
	case "python":
		return pythonPrints(code)
	case "perl":
		return perlSubstitutes(code)
	case "js", "ruby", "php", "lua":
		return printsLiteral(code)
	default:
		return false
	}
}

// printsLiteral reports that code is one call that prints a plain string, a
// number or the version.
func printsLiteral(code string) bool {
	code = strings.TrimRight(strings.TrimSpace(code), "; ")
	for _, name := range []string{"console.log", "puts", "print", "echo", "p"} {
		rest, ok := strings.CutPrefix(code, name)
		if !ok {
			continue
		}
		rest = strings.Trim(strings.TrimSpace(rest), "()")
		if isOneOf(rest, []string{"process.version", "RUBY_VERSION", "PHP_VERSION", "_VERSION", "process.versions.node", "process.platform", "process.arch"}) {
			return true
		}
		if s, ok := quotedStart(rest); ok && len(s)+2 == len(rest) && !strings.ContainsAny(s, "`#$\\") {
			return rest[0] != '`'
		}
		return rest != "" && strings.Trim(rest, "0123456789+-*/%. ") == ""
	}
	return false
}

// perlSubstitutes reports that code is a row of substitutions and prints
// without code in them.
func perlSubstitutes(code string) bool {
	if strings.Contains(code, "@{") || strings.Contains(code, "${") || strings.Contains(code, "(?{") || strings.Contains(code, "(??{") || strings.ContainsAny(code, "`") {
		return false
	}
	s := &sedScanner{s: strings.ReplaceAll(code, "\n", " ")}
	for {
		s.skip(" ;")
		if s.at >= len(s.s) {
			return true
		}
		switch {
		case s.take("tr"), s.take("y"):
			s.delimited(false)
			s.skip("cdsr")
		case s.take("s"):
			s.delimited(true)
			s.skip("gimsxr")
		case s.take("print"), s.take("next"), s.take("chomp"):
		default:
			return false
		}
		if s.bad || s.at < len(s.s) && s.s[s.at] != ';' && s.s[s.at] != ' ' {
			return false
		}
	}
}

func (s *sedScanner) take(word string) bool {
	if !strings.HasPrefix(s.s[s.at:], word) {
		return false
	}
	s.at += len(word)
	return true
}

// delimited skips /a/b/; delimiters that come in pairs are not followed.
func (s *sedScanner) delimited(regex bool) {
	end := s.peek()
	if !isPunct(end) || strings.IndexByte("{([<", end) >= 0 {
		s.bad = true
		return
	}
	s.at++
	s.upTo(end, regex)
	s.upTo(end, false)
}
