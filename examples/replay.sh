#!/usr/bin/env bash
# replay.sh [--execute] [CALLS.tsv]
#
# Replays a list of calls through the hook, by agent-call.sh, and compares the
# decisions with the expected ones. The calls are decided in a scratch workspace
# with a home and a store of its own; none is made. Ends with 1 when a decision
# is another one. The list is calls.tsv beside this script, unless named.
#
# With --execute, shell calls that are let go are also run by 'counterstep
# rehearse', apart from everything, where their programs are listed for that: a
# write that was not predicted, or an undo that falls short, counts as wrong.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
execute=
if [ "${1:-}" = --execute ]; then
  execute=yes
  shift
fi
calls=$(realpath "${1:-$here/calls.tsv}")

scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch" && rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
counterstep=${COUNTERSTEP:-$(command -v counterstep || true)}
if [ -z "$counterstep" ]; then
  go build -C "$here/.." -o "$scratch/bin/counterstep" ./cmd/counterstep
  counterstep=$scratch/bin/counterstep
fi
COUNTERSTEP=$(realpath "$counterstep")
export COUNTERSTEP HOME=$scratch/home
unset XDG_STATE_HOME XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME NOT_SET

mkdir -p "$HOME" "$scratch/outside" "$scratch/project/src/legacy" "$scratch/project/src/app" "$scratch/project/build"
cd "$scratch/project"
echo x >../outside/x.txt
echo '# demo' >README.md
echo '{"cells": []}' >notes.ipynb
echo one >src/legacy/a.txt
echo two >src/legacy/b.txt
echo 'package app' >src/app/app.go
echo out >build/out.bin
echo s >./'-strange name'
git -c init.defaultBranch=main init -q .
git add -A
git -c user.name=replay -c user.email=replay@example.invalid commit -qm start
"$COUNTERSTEP" init >/dev/null

# decision TOOL ARGUMENT: what the hook decided, from its exit code and from the
# newest row of the ledger, which lists no inert calls.
decision() {
  local before after status=0
  before=$(newest)
  "$here/agent-call.sh" "$1" "$2" new >"$scratch/out" 2>"$scratch/err" || status=$?
  after=$(newest)
  case $status in
    0) if [ "$before" = "$after" ]; then echo inert; else echo "${after#* }"; fi ;;
    2) if grep -q '"permissionDecision":"deny"' "$scratch/out"; then echo refused; else echo 'a failure of ours'; fi ;;
    *) echo "exit $status" ;;
  esac
}

# newest: id and status of the newest row.
newest() { "$COUNTERSTEP" ledger -n 1 | awk 'NR == 1 && $2 ~ /^[a-z]+$/ && length($1) >= 8 { print $1, $2 }'; }

# rehearsed COMMAND: whether a real run does what was predicted; a command that
# is not rehearsed (status 2) says nothing.
rehearsed() {
  local status=0
  "$COUNTERSTEP" rehearse -- "$1" >"$scratch/out" 2>"$scratch/err" || status=$?
  case $status in
    0) ran=$((ran + 1)) ;;
    2) ;;
    *) return 1 ;;
  esac
}

total=0 wrong=0 ran=0
while IFS=$'\t' read -r want tool argument; do
  case $want in '' | '#'*) continue ;; esac
  got=$(decision "$tool" "$argument" </dev/null)
  total=$((total + 1))
  if [ "$got" != "$want" ]; then
    wrong=$((wrong + 1))
    printf 'want %s, got %s: %s %s\n' "$want" "$got" "$tool" "$argument"
    sed 's/^/    /' "$scratch/err"
  elif [ -n "$execute" ] && [ "$tool" = Bash ] && [ "$want" != refused ] && ! rehearsed "$argument" </dev/null; then
    wrong=$((wrong + 1))
    printf 'rehearsed otherwise: %s\n' "$argument"
    sed 's/^/    /' "$scratch/out" "$scratch/err"
  fi
done <"$calls"
[ -z "$execute" ] || echo "$ran calls were run apart from everything"
echo "$total calls, $wrong decided otherwise"
[ "$wrong" = 0 ]
