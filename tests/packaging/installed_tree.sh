#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: installed_tree.sh CMAKE BUILD_DIR. Installs into a scratch folder and uses the program from there.
set -euo pipefail
cmake=$1 build=$2
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
"$cmake" --install "$build" --prefix "$stage/usr" >/dev/null
for file in bin/partita share/applications/org.partita.Partita.desktop share/metainfo/org.partita.Partita.metainfo.xml \
    share/icons/hicolor/scalable/apps/partita.svg share/man/man1/partita.1 share/partita/presets/models; do
    [ -e "$stage/usr/$file" ] || { echo "not installed: $file"; exit 1; }
done
mkdir "$stage/home"
run() { env -i HOME="$stage/home" PATH=/usr/bin:/bin "$stage/usr/bin/partita" "$@"; }
run --version
models=$(run presets models) # whole: a reader that leaves early is an error to the program
grep -q llama-3.1-70b <<<"$models" || { echo "the installed presets are not found"; exit 1; }
run evaluate >/dev/null
[ -z "$(find "$stage/home" -type f)" ] || { echo "the command line wrote into the home folder"; exit 1; }
