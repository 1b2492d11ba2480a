package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

const (
	// maxRead is the longest line that is taken for a record. Newer versions
	// may write longer lines than MaxLine.
	maxRead = 64 << 10
	// sumLen is the length of the end of a line: ,"sum":"…"}
	sumLen  = len(sumHead) + 16 + 2
	sumHead = `,"sum":"`
	// noPrev is the prev of the first record.
	noPrev = "0000000000000000000000000000000000000000000000000000000000000000"
)

// marshal is compact JSON without HTML escapes.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// encode is the line of r, without a line break, ending in its sum: the first
// 8 bytes of the SHA-256 of everything before `,"sum"`.
func encode(r Record) ([]byte, error) {
	line, err := r.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	line = line[:len(line)-1]
	return append(line, sumOf(line)...), nil
}

// sumOf is how a line goes on behind body.
func sumOf(body []byte) []byte {
	h := sha256.Sum256(body)
	end := make([]byte, 0, sumLen)
	end = append(end, sumHead...)
	end = hex.AppendEncode(end, h[:8])
	return append(end, `"}`...)
}

// decode reads a line without its line break. An error means that the line is
// not one that was written.
func decode(line []byte) (Record, error) {
	var r Record
	if len(line) > maxRead || len(line) < sumLen {
		return r, errors.New("no record has this length")
	}
	body, end := line[:len(line)-sumLen], line[len(line)-sumLen:]
	if !bytes.Equal(end, sumOf(body)) {
		return r, errors.New("the sum is wrong")
	}
	if !utf8.Valid(line) {
		return r, errors.New("not UTF-8")
	}
	if err := r.UnmarshalJSON(line); err != nil {
		return r, err
	}
	if r.V < 1 || r.Seq < 1 || r.ID == "" || r.Kind == "" || !isHash(r.Prev) {
		return r, errors.New("a field that every record has is missing")
	}
	return r, nil
}

func isHash(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// prevOf is the prev of a record behind line.
func prevOf(hash [32]byte) string { return hex.EncodeToString(hash[:]) }
