#!/usr/bin/env bash
# replay.sh [CALLS.tsv]
#
# Replays a list of calls through the hook, by agent-call.sh, and compares the
# decisions with the expected ones. The calls are decided in a scratch workspace
# with a home and a store of its own; none is made. Ends with 1 when a decision
# is another one. The list is calls.tsv beside this script, unless named.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
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

total=0 wrong=0
while IFS=$'\t' read -r want tool argument; do
  case $want in '' | '#'*) continue ;; esac
  got=$(decision "$tool" "$argument" </dev/null)
  total=$((total + 1))
  if [ "$got" != "$want" ]; then
    wrong=$((wrong + 1))
    printf 'want %s, got %s: %s %s\n' "$want" "$got" "$tool" "$argument"
    sed 's/^/    /' "$scratch/err"
  fi
done <"$calls"
echo "$total calls, $wrong decided otherwise"
[ "$wrong" = 0 ]
