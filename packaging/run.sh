#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds Partita and starts it. Arguments pass through: packaging/run.sh --help
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$top/packaging/dependencies.sh"

# shellcheck disable=SC2086
ensure_packages $packages_to_build >&2
cd "$top"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { cmake --preset release && cmake --build --preset release --target partita; } >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
cd - >/dev/null
rm -f "$log"
exec "$top/build/release/app/partita" "$@"
