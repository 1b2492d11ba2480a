#!/usr/bin/env bash
# agent-call.sh TOOL COMMAND-OR-PATH [CONTENT]
#
# Plays the agent: sends the payload that Claude Code sends before a tool call
# through the hook, for a call in the current directory, and does nothing else.
# The decision is on standard output (nothing: no objection), a refusal exits 2.
# The call itself is not made; type it by hand if you want to see it undone.
#
#   examples/agent-call.sh Bash 'rm -rf src/legacy'
#   examples/agent-call.sh Write README.md 'new text'
#
# The binary is $COUNTERSTEP, or counterstep on PATH, or built from this clone.
set -euo pipefail

if [ $# -lt 2 ]; then
  echo "usage: ${0##*/} TOOL COMMAND-OR-PATH [CONTENT]" >&2
  exit 64
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# json TEXT: TEXT as a JSON string. Bytes that JSON cannot hold are escaped; all
# others are left as they are, so text that is not UTF-8 reaches the hook as such.
json() {
  local LC_ALL=C text=$1 i c
  printf '"'
  for ((i = 0; i < ${#text}; i++)); do
    c=${text:i:1}
    case $c in
      '"' | \\) printf '\\%s' "$c" ;;
      [[:cntrl:]]) printf '\\u%04x' "'$c" ;;
      *) printf '%s' "$c" ;;
    esac
  done
  printf '"'
}

# absolute PATH: PATH as the agent hands it over.
absolute() { case $1 in /*) printf '%s' "$1" ;; *) printf '%s' "$PWD/$1" ;; esac; }

# input TOOL ARGUMENT CONTENT: the tool's input, as JSON.
input() {
  case $1 in
    Bash | PowerShell | Monitor) printf '{"command":%s}' "$(json "$2")" ;;
    Write) printf '{"file_path":%s,"content":%s}' "$(json "$(absolute "$2")")" "$(json "$3")" ;;
    Edit) printf '{"file_path":%s,"old_string":"","new_string":%s,"replace_all":false}' "$(json "$(absolute "$2")")" "$(json "$3")" ;;
    MultiEdit) printf '{"file_path":%s,"edits":[]}' "$(json "$(absolute "$2")")" ;;
    NotebookEdit) printf '{"notebook_path":%s,"new_source":%s}' "$(json "$(absolute "$2")")" "$(json "$3")" ;;
    Read) printf '{"file_path":%s}' "$(json "$(absolute "$2")")" ;;
    WebFetch) printf '{"url":%s,"prompt":""}' "$(json "$2")" ;;
    *) printf '{"argument":%s}' "$(json "$2")" ;;
  esac
}

payload() {
  printf '{"session_id":"example","transcript_path":"/dev/null","cwd":%s,"prompt_id":"example","permission_mode":"default",' "$(json "$PWD")"
  printf '"hook_event_name":"PreToolUse","tool_name":%s,"tool_input":%s,"tool_use_id":"toolu_%s"}\n' "$(json "$1")" "$(input "$@")" "$$_$RANDOM$RANDOM"
}

counterstep=${COUNTERSTEP:-$(command -v counterstep || true)}
if [ -z "$counterstep" ]; then
  dir=$(mktemp -d)
  trap 'rm -rf "$dir"' EXIT
  counterstep=$dir/counterstep
  go build -C "$root" -o "$counterstep" ./cmd/counterstep
fi
status=0
payload "$1" "$2" "${3-}" | "$counterstep" hook claude || status=$?
exit "$status"
