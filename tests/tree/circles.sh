#!/bin/sh
# circles.sh LIST: no two files call each other both ways, nor round a circle. LIST: object files, one a line. A clone of a source
# for another instruction set counts once.
xargs nm -P -A <"$1" 2>/dev/null | sed 's/^\([^:]*\): \([^ ]*\) \(.\).*/\2 \3 \1/' | awk '
    { file = $3; sub(/.*[.]dir\//, "", file); sub(/[.]o$/, "", file) }
    $2 ~ /^[TDBRC]$/ { owner[$1] = $3; name[$3] = file }
    $2 == "U" { needs[$3 " " $1] = file }
    END { for (pair in needs) {
              split(pair, part, " ")
              if (part[2] in owner && owner[part[2]] != part[1]) print part[1], owner[part[2]] } }' >"${TMPDIR:-/tmp}/calls.$$"
trap 'rm -f "${TMPDIR:-/tmp}/calls.$$"' EXIT
[ "$(wc -l <"${TMPDIR:-/tmp}/calls.$$")" -gt 100 ] || { echo "hardly a call was found: no nm?" && exit 77; }
tsort "${TMPDIR:-/tmp}/calls.$$" 2>&1 >/dev/null | sed 's,[^ ]*[.]dir/,,; s/[.]o$//' | grep . && exit 1
# and it would be seen
sed -n '1{p; s/\(.*\) \(.*\)/\2 \1/p;}' "${TMPDIR:-/tmp}/calls.$$" | tsort >/dev/null 2>&1 && { echo "a circle was not seen" && exit 1; }
exit 0
