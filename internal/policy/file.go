package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/counterstep/counterstep/internal/hint"
)

// file is one file, read but not yet understood.
type file struct {
	name, text string
	values     map[string]any
	at         Files
}

func parse(name string, data []byte, at Files) (*file, error) {
	f := &file{name: name, text: string(data), at: at}
	_, err := toml.Decode(f.text, &f.values)
	if perr, ok := errors.AsType[toml.ParseError](err); ok {
		return nil, f.wrong(perr.Position.Line, "%s", perr.Message)
	}
	if err != nil {
		return nil, f.wrong(0, "%v", err)
	}
	return f, nil
}

// wrong is an error with its place.
func (f *file) wrong(line int, format string, args ...any) error {
	where, next := f.name, "${EDITOR:-vi} "+f.name
	if line > 0 {
		where, next = fmt.Sprintf("%s:%d", f.name, line), fmt.Sprintf("${EDITOR:-vi} +%d %s", line, f.name)
	}
	return hint.New(next, "%s: %s", where, fmt.Sprintf(format, args...))
}

// line is where a key stands, 0 when it is not found. Keys are written as
// "table.key".
func (f *file) line(key string) int {
	table, first := "", 0
	for i, text := range strings.Split(f.text, "\n") {
		text = strings.TrimSpace(text)
		if strings.HasPrefix(text, "[") {
			table = strings.Trim(strings.SplitN(text, "#", 2)[0], "[] \t")
			if (table == key || strings.HasPrefix(table, key+".")) && first == 0 {
				first = i + 1
			}
			continue
		}
		name, _, ok := strings.Cut(text, "=")
		if !ok {
			continue
		}
		name = strings.NewReplacer(`"`, "", "'", "", " ", "", "\t", "").Replace(name)
		if table != "" {
			name = table + "." + name
		}
		if name == key || strings.HasPrefix(name, key+".") {
			return i + 1
		}
	}
	return first
}

// setting is one value with its key.
type setting struct {
	key   string
	value any
}

// settings lists the values, tables taken apart, in the order of their keys.
func (f *file) settings() []setting {
	var out []setting
	for _, key := range slices.Sorted(maps.Keys(f.values)) {
		table, ok := f.values[key].(map[string]any)
		if !ok || len(table) == 0 {
			out = append(out, setting{key, f.values[key]})
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(table)) {
			out = append(out, setting{key + "." + name, table[name]})
		}
	}
	return out
}

// texts is a list of texts.
func (f *file) texts(s setting) ([]string, error) {
	list, ok := s.value.([]any)
	if !ok {
		return nil, f.wrong(f.line(s.key), "%s must be a list of texts, such as %s = [\"…\"]", s.key, last(s.key))
	}
	var out []string
	for _, v := range list {
		text, ok := v.(string)
		if !ok || strings.TrimSpace(text) == "" {
			return nil, f.wrong(f.line(s.key), "%s must be a list of texts, and %v is none", s.key, v)
		}
		out = append(out, text)
	}
	return out, nil
}

// word is one of a few words; the index into words.
func (f *file) word(s setting, words ...string) (int, error) {
	text, _ := s.value.(string)
	if i := slices.Index(words, text); i >= 0 {
		return i, nil
	}
	return 0, f.wrong(f.line(s.key), "%s must be %s, not %v", s.key, strings.Join(quote(words), " or "), s.value)
}

func quote(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fmt.Sprintf("%q", w)
	}
	return out
}

func last(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// unknown is an error about a key, with the nearest one there is.
func (f *file) unknown(key string) error {
	best := ""
	for _, k := range Keys() {
		if last(k) == last(key) || strings.ReplaceAll(k, "-", "_") == key {
			best = k
		}
	}
	if best != "" {
		return f.wrong(f.line(key), "there is no setting %s; %s is meant, perhaps", key, best)
	}
	return f.wrong(f.line(key), "there is no setting %s; there are %s", key, strings.Join(Keys(), ", "))
}
