package ledger

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"unicode/utf8"
)

// Check reads the whole ledger in dir and says what is damaged, as [ReadAll] does,
// without decoding more of each record than its place in the chain. A missing
// ledger is empty.
func Check(dir string) (Report, error) {
	f, err := os.OpenFile(Path(dir), os.O_RDONLY|noFollow, 0)
	if os.IsNotExist(err) {
		return Report{}, nil
	}
	if err != nil {
		return Report{}, err
	}
	defer f.Close()
	s := scanner{prev: noPrev, decode: decodeHead}
	err = s.scan(f)
	return s.report, err
}

// decodeHead is decode for the fields that the chain needs: V, Seq, ID, Kind and
// Prev. Lines that are not exactly as this version writes them, and those about
// damage, are decoded whole.
func decodeHead(line []byte) (Record, error) {
	if len(line) > maxRead || len(line) < sumLen {
		return Record{}, errors.New("no record has this length")
	}
	if body := line[:len(line)-sumLen]; !bytes.Equal(line[len(line)-sumLen:], sumOf(body)) {
		return Record{}, errors.New("the sum is wrong")
	}
	if !utf8.Valid(line) {
		return Record{}, errors.New("not UTF-8")
	}
	h := head{rest: line}
	v, seq := h.number(`{"v":`), h.number(`,"seq":`)
	id, kind := h.text(`,"id":"`), h.text(`,"kind":"`)
	h.text(`,"time":"`)
	prev := h.text(`,"prev":"`)
	if h.odd || v < 1 || seq < 1 || id == "" || kind == "" || Kind(kind) == Recovered || !isHash(prev) {
		return decode(line)
	}
	return Record{V: int(v), Seq: seq, ID: id, Kind: Kind(kind), Prev: prev}, nil
}

// head reads the beginning of a line from field to field.
type head struct {
	rest []byte
	odd  bool // something is not as expected
}

func (h *head) skip(name string) bool {
	rest, ok := bytes.CutPrefix(h.rest, []byte(name))
	h.odd = h.odd || !ok
	h.rest = rest
	return !h.odd
}

func (h *head) number(name string) uint64 {
	if !h.skip(name) {
		return 0
	}
	end := bytes.IndexAny(h.rest, ",}")
	if end < 0 {
		h.odd = true
		return 0
	}
	n, err := strconv.ParseUint(string(h.rest[:end]), 10, 64)
	h.odd = h.odd || err != nil
	h.rest = h.rest[end:]
	return n
}

// text is a text without escapes.
func (h *head) text(name string) string {
	if !h.skip(name) {
		return ""
	}
	end := bytes.IndexByte(h.rest, '"')
	if end < 0 || bytes.IndexByte(h.rest[:end], '\\') >= 0 {
		h.odd = true
		return ""
	}
	s := string(h.rest[:end])
	h.rest = h.rest[end+1:]
	return s
}
