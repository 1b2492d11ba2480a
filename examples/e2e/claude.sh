#!/usr/bin/env bash
# claude.sh: the real Claude Code client, with counterstep installed by
# `counterstep init`, against a scripted model, offline. Each case runs the
# client once and looks at what happened on disk, in the ledger, and at what
# the model was told.
#
# The client is $CLAUDE, or claude in $E2E_AGENTS/claude, or claude on PATH; the
# script skips when there is none. It is tested with 2.1.332.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/sandbox.sh"

found=${CLAUDE:-}
[ -n "$found" ] || found=${E2E_AGENTS:+$E2E_AGENTS/claude/node_modules/.bin/claude}
[ -n "$found" ] && [ -x "$found" ] || found=$(command -v claude || true)
[ -n "$found" ] || skip "Claude Code is not installed (set CLAUDE to its path)"
sandbox_start "$found"

# ask PROMPT [ARGUMENT…]: one headless run with the script that is there.
ask() {
  local prompt=$1
  shift
  client_run ANTHROPIC_API_KEY=sk-test-local "ANTHROPIC_BASE_URL=http://127.0.0.1:$port" \
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1 DO_NOT_TRACK=1 -- \
    -p "$prompt" --output-format stream-json --verbose --permission-mode bypassPermissions "$@" || {
    echo "  FAIL the client ended with $?:" >&2
    tail -n 5 "$case_dir/stdout" "$case_dir/stderr" >&2
    failures=$((failures + 1))
  }
}

# claude TURNS: one headless run that makes the calls of TURNS.
claude() {
  printf '{"turns":[%s,{"text":"Finished."}]}' "$1" >"$case_dir/script.json"
  ask "Please tidy up."
  check "the model heard the end" grep -q '"text":"Finished."' "$case_dir/stdout"
}

bash_call() { printf '{"calls":[{"name":"Bash","input":{"command":"%s","description":"run"}}]}' "$1"; }
installed() { as_user "$project" counterstep init "$@" >"$case_dir/init" || { cat "$case_dir/init" >&2 && exit 1; }; }
cs() { as_user "$project" counterstep "$@"; }
there() { [ -e "$project/$1" ]; }
gone() { [ ! -e "$project/$1" ]; }
same_tree() { [ "$(tree)" = "$before" ] || { diff <(echo "$before") <(tree) >&2; false; }; }
fired() { cs fire --last --yes >"$case_dir/fire" 2>&1 || { cat "$case_dir/fire" >&2; false; }; }
listed() { cs ledger >"$case_dir/ledger" && grep -qF -- "$1" "$case_dir/ledger"; }

wipe=$(bash_call 'rm -rf src/legacy')

new_case wipe
installed
before=$(tree)
claude "$wipe"
check "the call ran" gone src/legacy
check "it is in the ledger" listed armed
check "the person was told" grep -q '"subtype":"informational".*counterstep' "$case_dir/stdout"
check "fire --last takes it back" fired
check "everything is as before" same_tree
check "the ledger says fired" listed fired

new_case overwrite
installed
before=$(tree)
claude "$(bash_call 'printf gone > README.md; mv src/legacy/a.txt src/legacy/deep/b.txt')"
check "the call ran" gone src/legacy/a.txt
check "fire --last takes it back" fired
check "everything is as before" same_tree

new_case write
installed
before=$(tree)
# shellcheck disable=SC2016
claude '{"calls":[{"name":"Read","input":{"file_path":"${PROJECT}/README.md"}}]},{"calls":[{"name":"Write","input":{"file_path":"${PROJECT}/README.md","content":"short\n"}}]}'
check "the call ran" grep -qx short "$project/README.md"
check "fire --last takes it back" fired
check "everything is as before" same_tree

new_case refused
installed
before=$(tree)
claude "$(bash_call 'rm -rf src/legacy && curl -X DELETE https://api.example.com/items/7')"
check "nothing was removed" same_tree
check "the model was told that we refuse" model_was_told 'hook error: counterstep: '
check "the model was told why" model_was_told api.example.com
check "the refusal is in the ledger" listed refused

new_case failing-call
installed
before=$(tree)
claude "$(bash_call 'rm -rf src/legacy; exit 3')"
check "the call ran and failed" model_was_told 'Exit code 3'
check "fire --last takes it back" fired
check "everything is as before" same_tree

new_case two-at-once
installed
before=$(tree)
claude '{"calls":[{"name":"Bash","input":{"command":"rm -rf src/legacy"}},{"name":"Bash","input":{"command":"printf x > README.md"}}]}'
check "both calls ran" gone src/legacy
check "both are armed" [ "$(cs ledger | grep -c armed)" = 2 ]
check "fire --last takes one back" fired
check "fire --last takes the other back" fired
check "everything is as before" same_tree

new_case rewind
installed
printf 'm1\nm2\nm3\n' >"$project/src/app/mine.txt"
chown $user:$user "$project/src/app/mine.txt"
cat >"$case_dir/script.json" <<'EOF'
{"turns": [
  {"text": "I note it first.", "calls": [{"name": "Bash", "input": {"command": "printf 'noted\\n' >> README.md", "description": "Note"}}]},
  {"text": "First done."},
  {"text": "Two things at once.", "calls": [
    {"name": "Bash", "input": {"command": "rm -rf src/legacy", "description": "Remove legacy"}},
    {"name": "Bash", "input": {"command": "printf 'new\\n' > src/app/new.txt", "description": "Write it"}}]},
  {"calls": [{"name": "Agent", "input": {"description": "Sub job", "prompt": "SUBAGENT-MARK please look", "subagent_type": "general-purpose", "run_in_background": false}}]},
  {"calls": [{"name": "Bash", "input": {"command": "sleep 1; printf 'bg\\n' > src/app/bg.txt", "description": "In the background", "run_in_background": true}}]},
  {"calls": [{"name": "Bash", "input": {"command": "sleep 3; sed -i 's/m1/M1/' src/app/mine.txt", "description": "Edit"}}]},
  {"text": "Second done."},
  {"text": "Third begins.", "calls": [{"name": "Bash", "input": {"command": "printf 'third\\n' > third.txt; rm README.md", "description": "Third"}}]},
  {"text": "Third done."},
  {"text": "Fourth begins.", "calls": [{"name": "Bash", "input": {"command": "printf 'fourth\\n' > fourth.txt", "description": "Fourth"}}]},
  {"text": "Fourth done."}],
 "others": [{"match": "SUBAGENT-MARK", "turns": [
  {"calls": [{"name": "Bash", "input": {"command": "printf 'sub\\n' >> README.md; printf 'sub\\n' > src/app/sub.txt", "description": "In the subagent"}}]},
  {"text": "Sub done."}]}]}
EOF
session() { grep -o '"session_id":"[^"]*"' "$case_dir/stdout" | head -n 1 | cut -d '"' -f 4; }
prompts() { cs checkpoints --json >"$case_dir/checkpoints" && [ "$(grep -c '"number"' "$case_dir/checkpoints")" = "$1" ]; }
but_mine() { tree | grep -v 'mine\.txt\|^src/app d'; }
ask "Please note it."
id=$(session)
check "the first prompt has a checkpoint" prompts 1
second=$(but_mine)
ask "Now rework it." --resume "$id"
check "all calls ran" eval 'gone src/legacy && there src/app/new.txt && there src/app/sub.txt && there src/app/bg.txt'
check "no notice of the client counts as a prompt" prompts 2
sed -i 's/m3/M3 of mine/' "$project/src/app/mine.txt"
ask "And a third thing." --resume "$id"
check "three prompts have checkpoints" prompts 3
check "they are of one session" eval '[ "$(grep "\"session\"" "$case_dir/checkpoints" | sort -u | wc -l)" = 1 ]'
check "the messages of the prompts are known" eval '[ "$(grep -c "\"uuid\"" "$case_dir/checkpoints")" = 3 ]'
check "the agent's words are in the list" eval 'cs list | grep -q "rm -rf src/legacy.*Two things at once"'
check "rewind to the second prompt" eval 'cs rewind --prompt 2 >"$case_dir/rewind" 2>&1 || { cat "$case_dir/rewind" >&2; false; }'
check "what the agent did is undone" eval 'gone third.txt && gone src/app/bg.txt && gone src/app/sub.txt && gone src/app/new.txt && there src/legacy/untracked.txt'
printf 'm1\nm2\nM3 of mine\n' >"$case_dir/mine"
check "my change is still there, the agent's is not" cmp "$case_dir/mine" "$project/src/app/mine.txt"
check "everything else is as before" eval '[ "$(but_mine)" = "$second" ]'
rewound=$(tree)
ask "And a fourth." --resume "$id"
check "the session goes on" there fourth.txt
check "the next prompt has a checkpoint" prompts 4
check "rewind to it" eval 'cs rewind --prompt 4 >"$case_dir/rewind"'
check "it is the state after the rewind" eval 'gone fourth.txt && [ "$(tree)" = "$rewound" ]'

new_case settings-of-the-user
installed --scope user
before=$(tree)
claude "$wipe"
check "the call ran" gone src/legacy
check "the project has no settings" gone .claude
check "fire --last takes it back" fired
check "everything is as before" same_tree

for way in missing killed crashing not-executable hanging; do
  new_case "binary-$way"
  installed
  case $way in
    missing) rm "$case_dir/bin/counterstep" ;;
    killed) printf '#!/bin/sh\nkill -9 $$\n' >"$case_dir/bin/counterstep" ;;
    crashing) printf '#!/bin/sh\nexit 1\n' >"$case_dir/bin/counterstep" ;;
    not-executable) chmod 644 "$case_dir/bin/counterstep" ;;
    hanging)
      # The entries give the binary 60 seconds; two will do here.
      sed -i "s/' block 60 '/' block 2 '/; s/' pass [0-9]* '/' pass 2 '/" "$project/.claude/settings.json"
      printf '#!/bin/sh\nexec sleep 600\n' >"$case_dir/bin/counterstep"
      ;;
  esac
  before=$(tree)
  claude "$wipe"
  check "nothing was removed" same_tree
  check "the model was told" model_was_told 'counterstep did not answer'
  check "and how to take the hook out" model_was_told 'counterstep uninstall'
done

new_case settings-emptied
installed
printf 'printf "{}" > .claude/settings.json\n' >"$project/tidy.sh"
before=$(tree)
claude "$(bash_call 'printf {} > .claude/settings.json'),$(bash_call 'sh ./tidy.sh; sleep 4'),$wipe"
check "the direct write was refused" model_was_told 'hook error: counterstep: '
check "a script emptied the settings" grep -qx '{}' "$project/.claude/settings.json"
check "the next call was armed all the same" listed armed
check "fire --last takes it back" fired
check "everything is as before" same_tree

new_case hooks-disabled
installed
printf 'echo %s > .claude/settings.local.json\n' "'{\"disableAllHooks\": true}'" >"$project/tidy.sh"
before=$(tree)
claude "$(bash_call 'sh ./tidy.sh; sleep 4'),$wipe"
check "the next call was armed all the same" listed armed
check "fire --last takes it back" fired
check "everything is as before" same_tree

new_case never-installed
# A committed settings file on a machine that never had counterstep.
installed
rm -rf "$case_dir/home/.local" "$case_dir/bin/counterstep"
claude "$wipe"
check "the call ran" gone src/legacy

new_case uninstalled
installed
check "uninstall works" eval 'cs uninstall >/dev/null'
check "the settings file is gone again" gone .claude
claude "$wipe"
check "the call ran" gone src/legacy
check "nothing was armed" eval '! listed armed'

finish
