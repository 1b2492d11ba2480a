package ledger

import (
	"bytes"
	"io"
	"os"
	"strings"
)

// Tail returns the last n good records of the ledger in dir, newest first. It
// reads from the end and no more than it needs. A missing ledger is empty.
func Tail(dir string, n int) ([]Record, error) {
	var records []Record
	if n <= 0 {
		return nil, nil
	}
	err := Walk(dir, func(r Record) bool {
		records = append(records, r)
		return len(records) < n
	})
	return records, err
}

// Find returns the records whose id starts with idPrefix (upper or lower
// case), newest first, of all ids that match. The whole ledger is read.
func Find(dir, idPrefix string) ([]Record, error) {
	prefix := strings.ToUpper(idPrefix)
	var records []Record
	mark := []byte(`"id":"` + prefix)
	err := walk(dir, func(line []byte) bool { return bytes.Contains(line, mark) }, func(r Record) bool {
		if strings.HasPrefix(r.ID, prefix) && r.Kind != Recovered {
			records = append(records, r)
		}
		return true
	})
	return records, err
}

// Walk hands the good records to visit, newest first, until visit returns
// false. Damaged bytes are passed over: [Scan] tells about them.
func Walk(dir string, visit func(Record) (more bool)) error { return walk(dir, nil, visit) }

// walk decodes only the lines that match; nil matches all.
func walk(dir string, match func(line []byte) bool, visit func(Record) bool) error {
	f, err := os.OpenFile(Path(dir), os.O_RDONLY|noFollow, 0)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	b, err := backward(f, info.Size(), 64<<10)
	if err != nil {
		return err
	}
	for {
		_, line, err := b.line()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if match != nil && !match(line) {
			continue
		}
		if r, err := decode(line); err == nil && !visit(r) {
			return nil
		}
	}
}
