#!/bin/bash
# human_ecg.sh PROGRAM HEART: docs/user/geo1.yaml on the human heart that it was made for, where that is at hand: 12 leads
# whose waves have the signs and the order of a human ECG.
source=$(cd "$(dirname "$0")/../.." && pwd)
heart=$2
[ -e "$heart" ] || { echo "no $heart" && exit 77; }
. "$source/tests/support/run_helpers.sh"
sed "s,file: [^ ]*\.ele,file: $heart," "$source/docs/user/geo1.yaml" > study.yaml
expect 0 "" "$cardiac" run study.yaml --quiet --device cpu --threads 2 --output study --set 'output.every=50 ms' \
    --set 'output.probes={wall: [-67.6 mm, 2.4 mm, -11.9 mm]}'

# largest and smallest value of each lead in QRS and T, and the mean over QRS: LEAD R S AREA T
awk -F, 'NR == 1 { for (c = 2; c <= NF; c++) { split($c, word, " "); name[c] = word[1] } next }
    { for (c = 2; c <= NF; c++)
        if ($1 < 130) { if ($c > r[c]) r[c] = $c; if ($c < s[c]) s[c] = $c; area[c] += $c }
        else if ($1 > 180 && $c * $c > t[c] * t[c]) t[c] = $c }
    END { for (c in name) print name[c], r[c], -s[c], area[c], t[c] }' study/ecg.csv > leads
lead() { # lead CLAIM LEAD...: what holds of r, s, area and t
    local claim=$1; shift
    for name; do
        awk -v name=$name '$1 == name { r = $2; s = $3; area = $4; t = $5; found = 1 } END { exit !(found && ('"$claim"')) }' leads ||
            { cat leads; fail "not $claim in $name"; }
    done
}
lead 'area > 0 && r > 1.5 * s && t > 0 && t < r' I II V4 V5 V6
lead 'area > 0 && r > s' aVL aVF
lead 'area < 0 && s > 1.5 * r && t < 0' aVR
lead 's > 2 * r && r > 0' V1
lead 't > 0' V2 V3
awk '{ r[$1] = $2; s[$1] = $3 } END { exit !(r["V1"] < r["V2"] && r["V2"] < r["V4"] && r["V4"] < r["V5"] && s["V6"] < s["V4"] && s["V4"] < s["V2"]) }' leads ||
    { cat leads; fail "R does not grow from V1 to V5, S does not fall"; }

# QT in lead II, until T is over but for a twentieth, and APD90 in the left wall: 3rd and 6th column of beats.csv
awk -F, 'NR == 1 { for (c = 2; c <= NF; c++) if ($c ~ "^II ") at = c; next } { t[NR] = $1; v[NR] = $at; if ($1 > 180 && $at > top) top = $at }
    END { for (k = NR; k > 1 && v[k] < top / 20; k--); print "QT " t[k] " ms"; exit !(t[k] > 330 && t[k] < 430) }' study/ecg.csv || fail "QT"
awk -F, '$1 == "wall" { print "APD90 " $6 " ms"; found = $6 > 240 && $6 < 320 } END { exit !found }' study/beats.csv || { cat study/beats.csv; fail "APD90"; }

# activated: all of N nodes, the first at A ms, the last at B ms
last=$(sed -n 's/.*activated: \([0-9]*\) of \1 nodes.*the last at \([0-9.]*\) ms.*/\2/p' study/run.log)
awk -v last="$last" 'BEGIN { exit !(last > 55 && last < 80) }' || fail "all are activated at '$last' ms"
cat leads
echo "an ECG in an unbounded conductor, all activated within $last ms"
