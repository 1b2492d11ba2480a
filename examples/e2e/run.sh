#!/usr/bin/env bash
# run.sh: every real client that there is a script for. Each script skips loudly
# when its client is not installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
./claude.sh
