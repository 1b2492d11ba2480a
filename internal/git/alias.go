package git

import "strings"

// Alias returns what name stands for as an alias of git in dir: the
// repository's own counts over the person's, and that over the system's. The
// text is a stranger's; nothing is run to find it. A configuration that cannot
// be read has no aliases.
func (d *Door) Alias(dir, name string) (string, bool) {
	l, err := Find(dir)
	var c config
	if err == nil {
		c, err = d.config(l, nil)
	} else {
		c, err = d.userConfig(Layout{})
	}
	if err != nil {
		return "", false
	}
	return c.last("alias." + strings.ToLower(name))
}
