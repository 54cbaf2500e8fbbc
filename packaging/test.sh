#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds Partita with warnings as errors and runs every test, with no display.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$top/packaging/dependencies.sh"

# shellcheck disable=SC2086
ensure_packages $packages_to_build xvfb xauth desktop-file-utils appstream libxml2-utils poppler-utils
cd "$top"
cmake --preset ci
cmake --build --preset ci
ctest --preset ci "$@"
