#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: layering.sh SOURCE_DIR CORE_ARCHIVE NM. Fails on an include or a symbol that points upwards.
set -u
source_dir=$1 core_archive=$2 nm=$3
failed=0

# forbid WHERE PATTERN WHY: no source file below WHERE has a line that matches PATTERN.
forbid() {
    local hits
    hits=$(grep -rnE --include='*.h' --include='*.cpp' "$2" "$source_dir/$1")
    if [ -n "$hits" ]; then
        printf '%s:\n%s\n' "$3" "$hits"
        failed=1
    fi
}

forbid core '#include [<"](Q[A-Z]|Qt|qcustomplot)' "core includes Qt"
forbid core '#include "(widgets|app)/' "core includes a higher layer"
forbid widgets '#include "app/' "widgets includes app"
forbid widgets '#include <Q(File|SaveFile|Settings)>' "widgets touches files or settings"

# Inside core, folders may include only themselves and those before them in this list.
order=(base model cluster layout scenario kernels pipeline training serving search advice formats runs explain calibration compare lessons)
for ((i = 0; i < ${#order[@]}; i++)); do
    later=$(IFS='|'; echo "${order[*]:i+1}")
    [ -n "$later" ] && forbid "core/${order[i]}" "#include \"core/($later)/" "core/${order[i]} includes a folder above it"
done

symbols=$("$nm" -C "$core_archive" 2>/dev/null) || { echo "cannot read $core_archive"; exit 1; }
if grep -E '\b(QString|QObject|QWidget)\b' <<<"$symbols" | head -5 | grep .; then
    echo "core links against Qt"
    failed=1
fi
[ $failed -eq 0 ] && echo "layers hold"
exit $failed
