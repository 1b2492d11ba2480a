# sandbox.sh: where the real client runs (sourced by the scripts beside it).
#
# A run has a network of its own with nothing but loopback, processes of its own
# that end with it, a private /tmp, an empty environment, and an unprivileged
# user. All files are below $work, which is removed at the end unless $KEEP is
# set.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
user=65534 # nobody
port=18080

# skip WHY: ends the script without a verdict, and says so loudly. With
# $E2E_REQUIRED set, a missing part is a failure.
skip() {
  echo "SKIPPED: ${0##*/}: $*" >&2
  echo "SKIPPED: nothing was tested" >&2
  [ -z "${E2E_REQUIRED:-}" ] || exit 1
  exit 0
}

# sandbox_start CLIENT: makes the working directory with the binaries in it, or
# skips. CLIENT is the path of the client's executable.
sandbox_start() {
  [ "$(uname)" = Linux ] || skip "needs Linux"
  [ "$(id -u)" = 0 ] || skip "needs root, to make namespaces"
  for tool in ip unshare setpriv go git; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
  done
  unshare -n -m -p --fork true 2>/dev/null || skip "no new namespaces are allowed here"
  client=$(realpath "$1")
  work=$(mktemp -d /var/tmp/counterstep-e2e.XXXXXX)
  chmod 755 "$work"
  [ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
  mkdir "$work/bin" "$work/client"
  go build -C "$root" -o "$work/bin/mockmodel" ./internal/testkit/mockmodel
  if [ -n "${COUNTERSTEP:-}" ]; then
    cp "$COUNTERSTEP" "$work/bin/counterstep"
  else
    CGO_ENABLED=0 go build -C "$root" -o "$work/bin/counterstep" ./cmd/counterstep
  fi
}

# as_user DIR COMMAND…: runs COMMAND in DIR as the client's user.
as_user() {
  (cd "$1" && shift && setpriv --reuid=$user --regid=$user --clear-groups --no-new-privs \
    env -i PATH="$case_dir/bin:/usr/local/bin:/usr/bin:/bin" HOME="$case_dir/home" LANG=C.UTF-8 "$@")
}

# client_run VARIABLE=VALUE… -- ARGUMENT…: runs the client once in $project with
# the script $case_dir/script.json, for at most $limit seconds. Its output goes
# to $case_dir/stdout and stderr, what it asked the model to
# $case_dir/model/requests.jsonl.
client_run() {
  local variables=()
  while [ "$1" != -- ]; do variables+=("$1") && shift; done
  shift
  mkdir -p "$case_dir/model"
  rm -f "$case_dir/model/"*
  chown -R $user:$user "$case_dir"
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin unshare -n -m -p --fork --kill-child --mount-proc bash -euc '
    work=$1 case_dir=$2 project=$3 client=$4 user=$5 port=$6 limit=$7; shift 7
    mount --make-rprivate /
    mount --bind "$(dirname "$client")" "$work/client"
    mount -t tmpfs -o mode=1777 none /tmp
    ip link set lo up
    drop="setpriv --reuid=$user --regid=$user --clear-groups --no-new-privs"
    $drop "$work/bin/mockmodel" -addr "127.0.0.1:$port" -script "$case_dir/script.json" -log "$case_dir/model" \
      -ready "$case_dir/model/ready" -var "PROJECT=$project" 2>"$case_dir/model/stderr" &
    for i in $(seq 200); do [ -s "$case_dir/model/ready" ] && break; sleep 0.05; done
    [ -s "$case_dir/model/ready" ] || { echo "the scripted model did not start" >&2; cat "$case_dir/model/stderr" >&2; exit 99; }
    variables=()
    while [ "$1" != -- ]; do variables+=("$1") && shift; done
    shift
    cd "$project"
    $drop env -i PATH="$case_dir/bin:/usr/local/bin:/usr/bin:/bin" HOME="$case_dir/home" LANG=C.UTF-8 SHELL=/bin/bash TERM=dumb \
      "${variables[@]}" timeout -k 5 "$limit" "$work/client/$(basename "$client")" "$@" \
      </dev/null >"$case_dir/stdout" 2>"$case_dir/stderr"
  ' sandbox "$work" "$case_dir" "$project" "$client" "$user" "$port" "${limit:-60}" "${variables[@]}" -- "$@"
}

# new_case NAME: a fresh home and project, with its own copy of the binary.
new_case() {
  name=$1 case_dir=$work/$1 project=$work/$1/project
  mkdir -p "$case_dir/home" "$case_dir/bin" "$project/src/legacy/deep" "$project/src/legacy/empty" "$project/src/app"
  cp "$work/bin/counterstep" "$case_dir/bin/counterstep"
  printf 'one\n' >"$project/src/legacy/a.txt"
  printf 'two\n' >"$project/src/legacy/deep/b.txt"
  ln -s a.txt "$project/src/legacy/link"
  chmod 600 "$project/src/legacy/a.txt"
  touch -d '2020-02-02 02:02:02.123456789' "$project/src/legacy/a.txt" "$project/src/legacy/deep"
  printf '# demo\n' >"$project/README.md"
  printf '/.counterstep\n' >"$project/.gitignore"
  chown -R $user:$user "$case_dir"
  as_user "$project" git -c init.defaultBranch=main init -q .
  as_user "$project" git add -A
  as_user "$project" git -c user.name=e2e -c user.email=e2e@example.invalid commit -qm start
  printf 'never committed\n' >"$project/src/legacy/untracked.txt"
  chown $user:$user "$project/src/legacy/untracked.txt"
  echo "== $name"
}

# tree: every name of the project with its content, mode, time and link target.
tree() {
  (cd "$project" && find README.md src -printf '%p %y %m %T@ %l\n' | sort && find README.md src -type f -exec sha256sum {} + | sort)
}

failures=0

# check WHAT COMMAND…: one expectation.
check() {
  local what=$1
  shift
  if "$@"; then
    echo "  ok   $what"
  else
    echo "  FAIL $what" >&2
    failures=$((failures + 1))
  fi
}

# model_was_told TEXT: TEXT was in a result of a call that the model was sent.
model_was_told() { grep -F '"role":"tool"' "$case_dir/model/requests.jsonl" | grep -F -- "$1" >/dev/null; }

# finish: the verdict of all checks.
finish() {
  if [ "$failures" -gt 0 ]; then
    echo "$failures checks failed (KEEP=1 keeps the files)" >&2
    exit 1
  fi
  echo "all checks passed"
}
