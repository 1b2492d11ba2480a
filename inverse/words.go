package inverse

import (
	"fmt"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
)

// Words says what firing a step would do: "restore 12 files (34 kB)".
func Words(s Step, pre []fingerprint.Entry) string {
	var files, links, dirs, born int
	var bytes int64
	for _, e := range pre {
		switch e.Type {
		case fingerprint.File:
			files++
			bytes += e.Size
		case fingerprint.Symlink:
			links++
		case fingerprint.Dir:
			dirs++
		case fingerprint.Absent:
			born++
		}
	}
	var parts []string
	if n := len(s.Moves); n > 0 {
		parts = append(parts, "move back "+count(n, "path"))
	}
	switch {
	case files > 0:
		parts = append(parts, fmt.Sprintf("restore %s (%s)", count(files, "file"), Size(bytes)))
	case links+dirs > 0:
		parts = append(parts, "restore")
	}
	if links > 0 {
		parts = append(parts, count(links, "link"))
	}
	if dirs > 0 && files == 0 {
		parts = append(parts, count(dirs, "directory"))
	}
	if born > 0 {
		parts = append(parts, "remove what is new")
	}
	return strings.ReplaceAll(strings.Join(parts, ", "), "restore, ", "restore ")
}

// WordsCreated says what firing a purely creating call would do.
func WordsCreated(post []fingerprint.Entry) string {
	var things int
	for _, e := range post {
		if e.Type != fingerprint.Dir {
			things++
		}
	}
	if things == 0 {
		return "remove " + count(len(post), "directory")
	}
	return "remove " + count(things, "new file")
}

func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(what, "y"))
	default:
		return fmt.Sprintf("%d %ss", n, what)
	}
}

// Size writes a number of bytes for people, in powers of 1000.
func Size(n int64) string {
	const units = "kMGTPE"
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f, i := float64(n)/1000, 0
	for f >= 999.95 && i < len(units)-1 {
		f /= 1000
		i++
	}
	return fmt.Sprintf("%.1f %cB", f, units[i])
}
