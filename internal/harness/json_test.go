package harness_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/harness"
)

func TestParseRefuses(t *testing.T) {
	for in, want := range map[string]string{
		``:                              "the end instead of a value at byte 0",
		`{"a":1,"a":2}`:                 `field "a" for the second time at byte 7`,
		`{"a":{"b":1,"\u0062":2}}`:      `field "b" for the second time at byte 12`,
		`{"a":1} x`:                     "data after the end of the value at byte 8",
		"{\"a\":\"\xff\"}":              "bytes that are not UTF-8 at byte 6",
		"{\"a\":\"\xed\xa0\x80\"}":      "bytes that are not UTF-8 at byte 6",
		`{"a":"\ud800"}`:                "half of a surrogate pair in a string at byte 6",
		`{"a":"\ude00\ud83d"}`:          "half of a surrogate pair in a string at byte 6",
		`{"a":"\ud83d\ud83d"}`:          "half of a surrogate pair in a string at byte 6",
		`{"a":"\x41"}`:                  "an unknown escape in a string at byte 6",
		`{"a":"\u00g0"}`:                "an unknown escape in a string at byte 6",
		"{\"a\":\"\t\"}":                "a control character in a string at byte 6",
		`{"a":01}`:                      "neither , nor } in an object at byte 6",
		`{"a":-}`:                       "no number at byte 5",
		`{"a":1.}`:                      "no number at byte 5",
		`{"a":1e}`:                      "no number at byte 5",
		`{"a":nul}`:                     "no JSON value at byte 5",
		`{a:1}`:                         "no field name at byte 1",
		`{"a" 1}`:                       "no : after a field name at byte 5",
		`[1 2]`:                         "neither , nor ] in an array at byte 3",
		`[1,]`:                          "no JSON value at byte 3",
		`{"a":"x`:                       "the end inside a string at byte 7",
		strings.Repeat("[", 201):        "more than 200 levels of nesting at byte 200",
		strings.Repeat(`{"a":`, 100000): "more than 200 levels of nesting at byte 1000",
		"\ufeff{}":                      "no JSON value at byte 0",
	} {
		_, err := harness.Parse([]byte(in))
		var syntax *harness.SyntaxError
		if !errors.As(err, &syntax) || err.Error() != "payload: "+want {
			t.Errorf("Parse(%.40q) = %v, want %s", in, err, want)
		}
	}
}

// TestDuplicateInLargeObject covers the index that large objects get.
func TestDuplicateInLargeObject(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, `"f%d":%d,`, i, i)
	}
	if _, err := harness.Parse([]byte("{" + strings.TrimSuffix(b.String(), ",") + "}")); err != nil {
		t.Error(err)
	}
	for _, i := range []int{0, 23, 24, 50, 99} {
		if _, err := harness.Parse(fmt.Appendf(nil, `{%s"f%d":0}`, b.String(), i)); err == nil {
			t.Errorf("f%d may occur twice", i)
		}
	}
}

func TestValue(t *testing.T) {
	data := []byte(` {"b":"\ud83d\ude00\n\"\/","a":[true,null,-1.50e+3,{}],"\u0041":false} `)
	v, err := harness.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Get("b").String(); got != "😀\n\"/" {
		t.Errorf("b = %q", got)
	}
	if a := v.Get("a"); !a.Items[0].True() || string(data[a.Start:a.End]) != `[true,null,-1.50e+3,{}]` {
		t.Errorf("a = %+v", a)
	}
	if v.Get("B").Kind != 0 || v.Get("a").String() != "" || v.Get("A").Kind != harness.Bool {
		t.Error("names and kinds are mixed up")
	}
	want := `{"A":false,"a":[true,null,-1.50e+3,{}],"b":"😀\n\"/"}`
	if got := string(v.Canonical()); got != want {
		t.Errorf("canonical = %s\nwant        %s", got, want)
	}
}

func TestParseReportForgivesCutText(t *testing.T) {
	v, err := harness.ParseReport([]byte(`{"a":"x\ud83d","b":"\ude00y"}`))
	if err != nil || v.Get("a").String() != "x\ufffd" || v.Get("b").String() != "\ufffdy" {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestPeek(t *testing.T) {
	for in, want := range map[string]string{
		`{"x":1,"e":"A","y":[`:     "A",
		`{"x":{"e":"B"},"e":"A"}`:  "A",
		`{"e":"A","e":"B"}`:        "",
		`{"e":1}`:                  "",
		`{"E":"A"}`:                "",
		`{"x":"\q","e":"A"}`:       "",
		`["e","A"]`:                "",
		`{"e":"A`:                  "",
		"":                         "",
		`{"e":"A"} and then "e":1`: "A",
	} {
		got, ok := harness.Peek([]byte(in), "e")
		if ok != (want != "") || ok && got != want {
			t.Errorf("Peek(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
}

func TestReadStopsAtTheLimit(t *testing.T) {
	data, err := harness.Read(bytes.NewReader(make([]byte, harness.MaxReport+100)))
	if err != nil || len(data) != harness.MaxReport+1 {
		t.Errorf("read %d bytes, %v", len(data), err)
	}
}

// FuzzParse: what Parse takes, encoding/json takes too, with the same strings;
// and the canonical form is stable.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\u00e9\ud83d\ude00",{"b":null}]}`))
	f.Add([]byte(`{"a":1,"A":2}`))
	f.Add([]byte(`"\u007f\u2028"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := harness.Parse(data)
		if err != nil {
			return
		}
		var std any
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		if err := dec.Decode(&std); err != nil {
			t.Fatalf("encoding/json refuses: %v", err)
		}
		if s, ok := std.(string); ok && s != v.Text {
			t.Errorf("string %q, encoding/json says %q", v.Text, s)
		}
		canonical := v.Canonical()
		again, err := harness.Parse(canonical)
		if err != nil || !bytes.Equal(again.Canonical(), canonical) {
			t.Errorf("canonical form %q is not stable: %v", canonical, err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	payload, err := os.ReadFile("claude/testdata/recorded/PreToolUse-Bash.json")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(payload)))
	for b.Loop() {
		if _, err := harness.Parse(payload); err != nil {
			b.Fatal(err)
		}
	}
}
