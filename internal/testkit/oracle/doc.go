// Package oracle holds no code of the product. Its tests tell what a command
// really destroys: real bash runs it in a sandbox, on a lived-in home with a
// repository in it, and every path and ref is compared with what it was and
// with what was predicted. What was armed then goes back through the real
// binary, and everything is compared once more.
//
// The commands are those of testdata/commands.txt; -shared DIR takes those of
// DIR/corpora/oracle_results.dev.jsonl instead, -corpus DIR any *.txt and
// *.jsonl of a directory. The tests need Linux and bubblewrap.
package oracle
