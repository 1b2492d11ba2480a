package policy

import (
	"strconv"
	"strings"
)

// minQuota is the least quota in bytes: less could not hold anything.
const minQuota = 64 << 20

// size reads a number of bytes, such as "20GiB".
func (f *file) size(s setting) (int64, error) {
	wrong := func() error {
		return f.wrong(f.line(s.key), "%s must be a size of at least 64MiB, such as \"20GiB\", not %v", s.key, s.value)
	}
	text, ok := s.value.(string)
	if !ok {
		return 0, wrong()
	}
	number := strings.TrimRight(text, "KMGTiB")
	unit, ok := unitOf(text[len(number):])
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || !ok || n <= 0 || n > (1<<62)/unit || n*unit < minQuota {
		return 0, wrong()
	}
	return n * unit, nil
}

func unitOf(s string) (int64, bool) {
	switch s {
	case "", "B":
		return 1, true
	case "MB":
		return 1e6, true
	case "MiB", "M":
		return 1 << 20, true
	case "GB":
		return 1e9, true
	case "GiB", "G":
		return 1 << 30, true
	case "TB":
		return 1e12, true
	case "TiB", "T":
		return 1 << 40, true
	}
	return 0, false
}
