package store

import "testing"

func TestRefsAreKeptAndForgotten(t *testing.T) {
	s, err := Create(t.TempDir() + "/s")
	if err != nil {
		t.Fatal(err)
	}
	const id = "01M8QBQFPE0HAAAAAAAAAAAAAA"
	if _, ok, err := s.Refs(id); ok || err != nil {
		t.Fatalf("refs before any were put: %v, %v", ok, err)
	}
	if err := s.PutRefs(id, []byte("[1]")); err != nil {
		t.Fatal(err)
	}
	if data, ok, err := s.Refs(id); string(data) != "[1]" || !ok || err != nil {
		t.Fatalf("got %q, %v, %v", data, ok, err)
	}
	if err := s.Remove(id); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := s.Refs(id); ok {
		t.Error("refs survive Remove")
	}
	if s.PutRefs("../x", nil) == nil {
		t.Error("an id that leads elsewhere was taken")
	}
}
