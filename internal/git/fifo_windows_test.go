package git_test

import "testing"

func mkfifo(testing.TB, string) {}
