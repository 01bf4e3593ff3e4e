#!/bin/bash
# configs.sh PROGRAM: what the heads of configs/ say is seen, on coarser meshes or in their first milliseconds.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
run() { # run NAME KEY=VALUE...
    local name=$1 set=(); shift
    for key; do set+=(--set "$key"); done
    expect 0 "" "$cardiac" run "$source/configs/$name.yaml" --quiet --device cpu --threads 1 --overwrite --output $name --set 'output.every=10 ms' "${set[@]}"
}
# beat NAME PROBE N COLUMN: of beats.csv
beat() { awk -F, -v p="$2" -v n=$3 -v c=$4 '$1 == p && $2 == n { print $c }' $1/beats.csv; }
# leads NAME FROM TO: name and value of largest size of each lead in between
leads() {
    awk -F, -v a=$2 -v b=$3 'NR == 1 { for (c = 2; c <= NF; c++) { sub(/ .*/, "", $c); name[c] = $c } next }
        $1 >= a && $1 < b { for (c = 2; c <= NF; c++) if ($c * $c > v[c] * v[c]) v[c] = $c }
        END { for (c in name) print name[c], v[c] }' $1/ecg.csv
}

run quickstart 'mesh.sheet.spacing=1 mm' time.end=460
[ -n "$(beat quickstart centre 3 3)" ] || { cat quickstart/beats.csv; fail "no spiral wave"; }

run reentry 'mesh.sheet.spacing=1 mm' time.end=620
awk -v l="$(beat reentry left 3 3)" -v t="$(beat reentry top 3 3)" -v r="$(beat reentry right 4 3)" 'BEGIN { exit !(0 < l && l < t && t < r) }' ||
    { cat reentry/beats.csv; fail "no wave goes from left over top to right"; }
full && run reentry 'mesh.sheet.spacing=1 mm' time.end=560 'stimuli[1].start=230 ms'
! full || [ -z "$(beat reentry right 3 3)" ] || { cat reentry/beats.csv; fail "S2 at 230 ms goes on"; }

run wedge 'mesh.slab.spacing=1 mm'
awk -v a="$(beat wedge endo 1 6)" -v b="$(beat wedge middle 1 6)" -v c="$(beat wedge epi 1 6)" 'BEGIN { exit !(a > b && b > c + 20 && c > 200) }' ||
    { cat wedge/beats.csv; fail "APD90 through the wall"; }
[ "$(leads wedge 0 100 | awk '$2 > 0')" ] && [ "$(leads wedge 200 400 | awk '$2 > 0')" ] || fail "QRS $(leads wedge 0 100), T $(leads wedge 200 400)"

expect 0 'electrodes: {RA: ' "$cardiac" mesh coordinates "$source/meshes/heart.msh.gz" heart.vtkhdf --scale 1mm
for place in $(sed -n 's/^electrodes: {\(.*\)}$/\1/p' said | sed 's/\], /]\n/g' | tr ' ' _); do
    grep -qxF "    ${place//_/ }" "$source/configs/ventricle.yaml" || fail "ventricle.yaml lacks ${place//_/ }"
done
run ventricle time.end=20
# in COMPARISON: LEADs whose R and S, largest and -smallest value, compare so
in_leads() {
    local claim=$1; shift
    for lead; do
        awk -F, -v lead=$lead 'NR == 1 { for (c = 2; c <= NF; c++) if ($c ~ "^" lead " ") at = c; next } $1 < 20 { if ($at > r) r = $at; if (-$at > s) s = -$at }
            END { exit !(at && '"$claim"') }' ventricle/ecg.csv || fail "not $claim in $lead: $(leads ventricle 0 20)"
    done
}
in_leads 'r > 3 * s' I II aVL aVF V4 V5 V6
in_leads 's > 3 * r' aVR
in_leads 's > 1.5 * r && r > 0' V1

run restitution 'stimuli[0].count=2' time.end=600
[ -n "$(beat restitution far 2 5)" ] || { cat restitution/beats.csv; fail "no second beat"; }
if full; then # studies of these configs, each of which has a test of its own
    expect 0 '430,far' "$cardiac" restitution "$source/configs/restitution.yaml" --s2 480:430:50ms --set 'stimuli[0].count=2'
fi

run induction time.end=20
if full; then
    expect 0 "site below: sustained after 70 ms" "$cardiac" induce "$source/configs/induction.yaml" --device cpu --threads 1 --set mesh.sheet.spacing=1mm --set induction.extra=1 --set induction.from=80ms
    grep -q "site right: quiet" said || { cat said; fail "the right is vulnerable"; }
fi

run fit 'stimuli[0].sphere.centre=[6 mm, 22 mm, 0 mm]'
if full; then
    expect 0 "the first guess: misfit " "$cardiac" fit "$source/configs/fit.yaml" --device cpu --threads 1 --dry-run --set ecg.target="$PWD/fit/ecg.csv"
fi

run heart time.end=10
run cable time.end=20
run niederer 'mesh.slab.spacing=1 mm' time.end=4
for config in "$source"/configs/*.yaml; do
    [ -e "$(basename "$config" .yaml)/run.vtkhdf" ] || fail "$config is not run here"
done
echo "configs show what they say"
