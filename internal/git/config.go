package git

import (
	"fmt"
	"strconv"
	"strings"
)

// scope is where a setting comes from. Later scopes win.
type scope uint8

const (
	systemScope scope = iota
	userScope
	repoScope
	commandScope
)

// trusted says that the person or the machine's owner wrote the setting, not a
// repository and not the call.
func (s scope) trusted() bool { return s <= userScope }

// config is the settings of all scopes, in the order git reads them.
type config []setting

// last returns the value of key that counts.
func (c config) last(key string) (string, bool) {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].key == key {
			return c[i].value, true
		}
	}
	return "", false
}

// all returns every value of key in order.
func (c config) all(key string) []string {
	var out []string
	for _, s := range c {
		if s.key == key {
			out = append(out, s.value)
		}
	}
	return out
}

// flag returns key as a boolean, or def when it is not set.
func (c config) flag(key string, def bool) (bool, error) {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].key != key {
			continue
		}
		if c[i].bare {
			return true, nil
		}
		b, err := parseBool(c[i].value)
		if err != nil {
			return def, fmt.Errorf("%s: %w", key, err)
		}
		return b, nil
	}
	return def, nil
}

func parseBool(v string) (bool, error) {
	switch strings.ToLower(v) {
	case "true", "yes", "on":
		return true, nil
	case "", "false", "no", "off":
		return false, nil
	}
	n, err := strconv.ParseInt(strings.TrimRight(strings.ToLower(v), "kmg"), 0, 64)
	if err != nil {
		return false, fmt.Errorf("%q is neither true nor false", v)
	}
	return n != 0, nil
}

// commandSettings reads the values of -c.
func commandSettings(values []string) (config, error) {
	var out config
	for _, v := range values {
		key, value, has := strings.Cut(v, "=")
		key = strings.TrimSpace(key)
		first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
		if first <= 0 || last == len(key)-1 {
			return nil, fmt.Errorf("-c %q names no setting", v)
		}
		key = strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
		if strings.HasPrefix(key, "include.") || strings.HasPrefix(key, "includeif.") {
			return nil, fmt.Errorf("-c %q includes a file", v)
		}
		out = append(out, setting{key: key, value: value, bare: !has, scope: commandScope})
	}
	return out, nil
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
