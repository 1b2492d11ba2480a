package classify

import "strings"

// pythonPrints reports that Python code provably only reads and prints: it
// imports modules that cannot write, opens nothing for writing, and uses no
// attribute or function that could. What is not on these lists is no proof.
func pythonPrints(code string) bool {
	toks, ok := pythonTokens(code)
	if !ok {
		return false
	}
	for i, t := range toks {
		prev, next := "", ""
		if i > 0 {
			prev = toks[i-1]
		}
		if i+1 < len(toks) {
			next = toks[i+1]
		}
		switch {
		case !isNameByte(t[0]) || t[0] >= '0' && t[0] <= '9':
		case strings.HasPrefix(t, "__"):
			if t != "__name__" {
				return false
			}
		case t == "import" || t == "from" && prev != "yield" && prev != "raise":
			if !pythonModules(toks, i) {
				return false
			}
		case prev == ".":
			// str.replace reads; os.replace needs os.
			if !pythonAttr(t) && (t != "replace" || isOneOf("os", toks)) {
				return false
			}
		case t == "open":
			if !opensToRead(toks[i+1:]) {
				return false
			}
		case pythonDanger(t):
			return false
		case t == "with" || next == "":
		}
	}
	return true
}

// pythonModules checks the names behind import or from.
func pythonModules(toks []string, i int) bool {
	from := toks[i] == "from"
	if !from && i > 1 && importedFrom(toks[:i]) {
		return true // the names behind `from x import` are attributes
	}
	for j := i + 1; j < len(toks); j++ {
		switch t := toks[j]; {
		case t == "\n" || t == ";" || from && t == "import":
			if from {
				return pythonNames(toks[j+1:])
			}
			return true
		case t == "as":
			j++
		case t == "," || t == "." || t == "(" || t == ")":
		default:
			if toks[j-1] != "." && !pythonModule1(t) {
				return false
			}
		}
	}
	return true
}

// importedFrom reports that the statement that ends here began with from.
func importedFrom(toks []string) bool {
	for j := len(toks) - 1; j >= 0 && toks[j] != "\n" && toks[j] != ";"; j-- {
		if toks[j] == "from" {
			return true
		}
	}
	return false
}

// pythonNames checks what is imported from a module.
func pythonNames(toks []string) bool {
	for _, t := range toks {
		switch {
		case t == "\n" || t == ";":
			return true
		case t == "*":
			return false
		case isNameByte(t[0]) && t != "as" && pythonDanger(t):
			return false
		}
	}
	return true
}

func pythonModule1(name string) bool {
	switch name {
	case "json", "sys", "re", "math", "datetime", "collections", "itertools", "functools", "operator", "string", "textwrap", "random",
		"statistics", "decimal", "fractions", "base64", "hashlib", "binascii", "struct", "time", "calendar", "csv", "difflib", "pprint",
		"unicodedata", "html", "uuid", "typing", "dataclasses", "enum", "heapq", "bisect", "copy", "zlib", "tomllib", "glob", "fnmatch",
		"urllib", "platform", "locale", "colorsys", "cmath", "numbers", "secrets", "hmac", "ast", "keyword", "token", "tokenize", "os", "io":
		return true
	}
	return false
}

// pythonDanger are the built-in names through which code could do more.
func pythonDanger(name string) bool {
	switch name {
	case "exec", "eval", "compile", "getattr", "setattr", "delattr", "globals", "locals", "vars", "breakpoint", "input", "help", "memoryview",
		"system", "popen", "remove", "unlink", "rmdir", "rename", "replace", "makedirs", "mkdir", "removedirs", "renames", "truncate",
		"chmod", "chown", "symlink", "link", "kill", "execv", "execve", "execvp", "spawnl", "spawnv", "fork", "putenv", "urlopen", "urlretrieve",
		"FileIO", "open_code", "fdopen", "modules", "builtins", "attrgetter", "methodcaller", "utime", "mkfifo", "posix_spawn", "startfile", "write", "writelines", "request":
		return true
	}
	return false
}

// pythonAttr are attributes and methods that only read.
func pythonAttr(name string) bool {
	switch name {
	case "get", "items", "keys", "values", "append", "extend", "insert", "pop", "sort", "reverse", "count", "index", "copy", "update", "add", "setdefault", "discard",
		"clear", "union", "intersection", "difference", "issubset", "issuperset", "join", "split", "rsplit", "splitlines", "strip",
		"lstrip", "rstrip", "lower", "upper", "title", "capitalize", "startswith", "endswith", "find", "rfind", "format", "encode", "decode",
		"isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "isnumeric", "zfill", "ljust", "rjust", "center", "partition",
		"rpartition", "swapcase", "casefold", "removeprefix", "removesuffix", "translate", "maketrans", "expandtabs", "hex", "fromhex",
		"loads", "load", "dumps", "argv", "stdin", "stdout", "stderr", "read", "readline", "readlines", "exit", "version", "version_info", "path", "maxsize", "platform", "executable", "prefix",
		"match", "search", "findall", "finditer", "sub", "subn", "fullmatch", "group", "groups", "groupdict", "span", "start", "end",
		"IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE", "I", "M", "S", "X", "escape", "datetime", "date", "timedelta", "timezone", "utc", "now",
		"utcnow", "today", "strftime", "strptime", "isoformat", "fromisoformat", "fromtimestamp", "utcfromtimestamp", "timestamp", "total_seconds",
		"days", "seconds", "year", "month", "day", "hour", "minute", "second", "weekday", "time", "perf_counter", "Counter", "defaultdict",
		"OrderedDict", "deque", "namedtuple", "most_common", "elements", "chain", "groupby", "product", "permutations", "combinations",
		"islice", "accumulate", "zip_longest", "repeat", "cycle", "reduce", "partial", "lru_cache", "wraps", "sqrt", "floor", "ceil", "log", "log2", "log10",
		"pi", "e", "pow", "sin", "cos", "tan", "exp", "fabs", "gcd", "lcm", "factorial", "isclose", "inf", "nan", "mean", "median", "stdev", "mode",
		"b64encode", "b64decode", "urlsafe_b64encode", "urlsafe_b64decode", "md5", "sha1", "sha256", "sha512", "hexdigest", "digest", "unpack",
		"pack", "calcsize", "reader", "DictReader", "fieldnames", "unified_diff", "pprint", "pformat", "uuid4", "uuid1", "choice", "randint",
		"random", "sample", "shuffle", "seed", "uniform", "token_hex", "token_urlsafe", "dedent", "indent", "wrap", "fill", "ascii_letters",
		"ascii_lowercase", "digits", "punctuation", "decompress", "parse", "quote", "unquote", "urlparse", "urlencode", "parse_qs", "netloc",
		"query", "scheme", "getcwd", "listdir", "environ", "exists", "isfile", "isdir", "basename", "dirname", "splitext", "abspath", "realpath", "getsize",
		"getmtime", "walk", "sep", "linesep", "stat", "st_size", "st_mtime", "scandir", "is_file", "is_dir", "name", "glob", "iglob", "literal_eval", "node", "machine", "python_version", "relpath", "expanduser", "commonprefix", "buffer", "StringIO", "BytesIO", "getvalue", "close", "JSONDecodeError", "error", "args", "real", "imag", "numerator", "denominator", "is_integer", "bit_length", "to_bytes", "from_bytes", "stem", "suffix", "tell", "islink", "category", "Decimal", "Fraction", "quantize", "fsum", "prod", "comb", "perm", "hypot", "degrees", "radians", "isnan", "isinf", "setrecursionlimit", "getrecursionlimit", "getsizeof", "byteorder", "flush", "monotonic", "sleep", "ctime", "gmtime", "localtime", "mktime", "asctime", "itemgetter", "nlargest", "nsmallest", "heappush", "heappop", "heapify", "bisect_left", "bisect_right", "deepcopy", "crc32", "getenv", "cpu_count", "getpid":
		return true
	}
	return false
}

// opensToRead reports that a call of open behind these tokens has no mode, or
// one that reads: its second argument and a "mode=" are looked at.
func opensToRead(toks []string) bool {
	if len(toks) == 0 || toks[0] != "(" {
		return false
	}
	depth, arg := 0, 0
	for i, t := range toks {
		switch t {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
			if depth == 0 {
				return true
			}
		case ",":
			if depth == 1 {
				arg++
			}
		case "*", "**":
			return false
		case "mode":
			if i+2 < len(toks) && toks[i+1] == "=" && !isReadMode(toks[i+2]) {
				return false
			}
		case "opener":
			return false
		default:
			if depth == 1 && arg == 1 && toks[i-1] == "," && (i+1 == len(toks) || toks[i+1] != "=") && !isReadMode(t) {
				return false
			}
		}
	}
	return false
}

func isReadMode(t string) bool {
	s, ok := quotedStart(t)
	return ok && s != "" && strings.Trim(s, "rbt") == ""
}

// pythonTokens splits code; strings keep their quotes, what stands in braces
// in an f-string is code too, comments are dropped.
func pythonTokens(code string) ([]string, bool) {
	var out []string
	for i := 0; i < len(code); {
		c := code[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '\n':
			out = append(out, "\n")
			i++
		case c == '\\':
			i++
		case c == '#':
			for i < len(code) && code[i] != '\n' {
				i++
			}
		case c == '"' || c == '\'':
			end, ok := pythonString(code, i)
			if !ok {
				return nil, false
			}
			out = append(out, code[i:end])
			i = end
		case isNameByte(c) || c >= 0x80:
			j := i
			for j < len(code) && (isNameByte(code[j]) || code[j] >= 0x80) {
				j++
			}
			if j < len(code) && (code[j] == '"' || code[j] == '\'') && j-i <= 2 && strings.Trim(code[i:j], "rbfuRBFU") == "" {
				end, ok := pythonString(code, j)
				if !ok {
					return nil, false
				}
				if strings.ContainsAny(code[i:j], "fF") {
					inner, ok := pythonBraces(strings.Trim(code[j:end], `"'`))
					if !ok {
						return nil, false
					}
					out = append(out, inner...)
				}
				out = append(out, code[j:end])
				i = end
				continue
			}
			out = append(out, code[i:j])
			i = j
		default:
			out = append(out, code[i:i+1])
			i++
		}
	}
	return out, true
}

// pythonString is the place behind the string that starts at i.
func pythonString(code string, i int) (int, bool) {
	quote := code[i : i+1]
	if strings.HasPrefix(code[i:], strings.Repeat(quote, 3)) {
		end := strings.Index(code[i+3:], strings.Repeat(quote, 3))
		return i + 3 + end + 3, end >= 0
	}
	for j := i + 1; j < len(code); j++ {
		switch code[j] {
		case '\\':
			j++
		case quote[0]:
			return j + 1, true
		case '\n':
			return 0, false
		}
	}
	return 0, false
}

// pythonBraces are the tokens of the code in an f-string.
func pythonBraces(s string) ([]string, bool) {
	var out []string
	for {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			return out, true
		}
		if strings.HasPrefix(s[i:], "{{") {
			s = s[i+2:]
			continue
		}
		end := strings.IndexByte(s[i:], '}')
		if end < 0 {
			return nil, false
		}
		toks, ok := pythonTokens(s[i+1 : i+end])
		if !ok {
			return nil, false
		}
		out = append(append(out, "("), toks...)
		out = append(out, ")")
		s = s[i+end+1:]
	}
}
