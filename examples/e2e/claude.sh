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

# claude TURNS: one headless run that makes the calls of TURNS.
claude() {
  printf '{"turns":[%s,{"text":"Finished."}]}' "$1" >"$case_dir/script.json"
  client_run ANTHROPIC_API_KEY=sk-test-local "ANTHROPIC_BASE_URL=http://127.0.0.1:$port" \
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1 DO_NOT_TRACK=1 -- \
    -p "Please tidy up." --output-format stream-json --verbose --permission-mode bypassPermissions || {
    echo "  FAIL the client ended with $?:" >&2
    tail -n 5 "$case_dir/stdout" "$case_dir/stderr" >&2
    failures=$((failures + 1))
  }
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
