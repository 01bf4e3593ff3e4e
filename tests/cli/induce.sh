#!/bin/bash
# induce.sh PROGRAM: `cardiac induce` finds re-entry in a closed ring and round a scar, in the window in which runs of their own show
# it, with their activations to every digit; the same table on one thread and two, after an interruption and in parts; a tissue that
# beats by itself, blows up or is not excitable is a row that says so; what it refuses.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
# a ring of 300 nodes, of which the part up to 60 degrees recovers late: an early S2 at its border is blocked there and goes round the
# other way
awk 'BEGIN { n = 300; turn = 2 * 3.14159265358979; r = 500 * n / turn; print n > "ring.pts"; print n > "ring.elem"
    for (i = 0; i < n; i++) { printf "%.10g %.10g 0\n", r * cos(turn * i / n), r * sin(turn * i / n) > "ring.pts"
        print "Ln", i, (i + 1) % n, 1 > "ring.elem" } }'
cat > ring.yaml <<'END'
version: 1
mesh: {file: ring.elem}
tissue:
  surface_to_volume: 1400 /cm
  regions:
    - {where: y > 0 mm and x > 12 mm, model: mitchell-schaeffer, parameters: {tau_open: 80 ms, tau_close: 70 ms}, conductivity: 0.2 S/m}
    - {model: mitchell-schaeffer, parameters: {tau_open: 60 ms, tau_close: 40 ms}, conductivity: 0.2 S/m}
stimuli:
  - {name: S1, where: "ball([23.873 mm, 0 mm, 0 mm], 2 mm)", start: 5 ms, duration: 2 ms, current: 50 uA/uF, count: 2, period: 400 ms}
time: {end: 2000 ms, step: 0.1 ms}
solver: {precision: double}
induction: {from: 170 ms, to: 100 ms, by: 20 ms, extra: 2, sustained: 600 ms}
END
without_pages
warm_python
induce() { expect "$1" "$2" "$cardiac" induce ring.yaml --device cpu --threads 1 --output "${@:3}"; }
# outcome TABLE INTERVALS: of the row; number TABLE INTERVALS COLUMN
outcome() { awk -F, -v i="$2" '$7 == i { print $9 }' "$1/table.csv"; }
number() { awk -F, -v i="$2" -v c=$3 '$7 == i { print $c }' "$1/table.csv"; }
induce 0 "sites with sustained re-entry: 1 of 1" whole --results
[ "$(outcome whole "")" = quiet ] && [ "$(outcome whole 170)" = quiet ] && [ "$(outcome whole 150)" = sustained ] &&
    [ "$(outcome whole 130)" = sustained ] && [ "$(outcome whole 110)" = "no capture" ] && [ "$(wc -l < whole/table.csv)" = 6 ] || fail "$(cat whole/table.csv)"
awk -v cycle="$(number whole 150 11)" 'BEGIN { exit !(cycle > 385 && cycle < 415) }' || fail "a turn of 150 mm at 0.38 m/s takes $(number whole 150 11) ms"
ls whole/site-1-1[35]0.vtkhdf > /dev/null && [ ! -e whole/site-1-170.vtkhdf ] || fail "maps: $(ls whole)"
expect 0 "vulnerability" "$cardiac" info whole/vulnerability.vtkhdf
# runs of their own, with a probe at every node: the number of captures, the last activation to every digit, and that it goes on or not
probes=$(awk 'NR > 1 { printf "%sn%d: [%.10g mm, %.10g mm, 0 mm]", (NR > 2 ? ", " : ""), NR, $1 / 1000, $2 / 1000 }' ring.pts)
alone() { # alone INTERVAL END: captured of S2, last activation
    expect 0 "" "$cardiac" run ring.yaml --json --device cpu --threads 2 --overwrite --output alone --set time.end="$2 ms" --set output.every="$2 ms" --set activation.beats=20 \
        --set "output.probes={$probes}" --set "stimuli[0]={name: S1, where: 'ball([23.873 mm, 0 mm, 0 mm], 2 mm)', start: 5 ms, duration: 2 ms, current: 50 uA/uF, protocol: [{count: 2, period: 400 ms}, {after: $1 ms}]}"
    grep -o '"captured": [0-9]*' said | tail -1 | awk '{ printf "%d ", $2 - 2 }'
    awk -F, 'NR > 1 && $3 > last { last = $3 } END { printf "%.10g\n", last }' alone/beats.csv
}
for interval in 150 $(full && echo 170 130); do
    here="$(number whole $interval 8) $(printf %.10g "$(number whole $interval 12)")"
    there=$(alone $interval "$(number whole $interval 16)")
    [ "$here" = "$there" ] || fail "S2 after $interval ms: here $here, in a run $there"
done
refuses() { expect 2 "$1" "$cardiac" induce ring.yaml --output none "${@:2}"; [ ! -e none ] || fail "$1: it began"; }
keys() { expect 2 "$1" "$cardiac" check ring.yaml --syntax "${@:2}"; } # which is asked first, as the first two refusals show
refuses "induction.from: '3 mm' is not a time" --set 'induction.from=3 mm'
refuses "induction.protocl: unknown key (did you mean 'protocol'?)" --set induction.protocl=burst
keys "induction.protocol: 'bursts'" --set induction.protocol=bursts
keys "induction.to: 200 ms is longer than induction.from (170 ms)" --set 'induction.to=200 ms'
keys "gives more than 1000 intervals" --set 'induction.by=0.01 ms'
keys "induction.spacing: needs induction.where" --set 'induction.spacing=1 mm'
keys "induction.where: cannot be combined with induction.sites" --set 'induction={where: x > 0 mm, sites: {a: [0 mm, 0 mm, 0 mm]}}'
refuses "the nearest tissue is 64.1 mm away" --set 'induction.sites={a: [90 mm, 0 mm, 0 mm]}'
refuses "comes for ever" --set 'stimuli[0].count=0'
# other threads, an interruption, a killed program, parts; a table of another study
if full; then
    expect 0 "" "$cardiac" induce ring.yaml --device cpu --threads 2 --output two
    cmp whole/table.csv two/table.csv || fail "the table depends on the threads"
fi
cp whole/table.csv all.csv
cp ring.pts kept.pts; echo >> ring.pts
induce 2 "does not belong to this study: since then these files have changed: ring.pts; --overwrite" whole
mv kept.pts ring.pts
induce 4 "time is up" late --stop-after 0.000001s || induce 4 "time is up" late --stop-after 1s
head -c $(($(wc -c < whole/table.csv) - 300)) whole/table.csv > late/table.csv
induce 0 "branches are in late/table.csv" late
cmp whole/table.csv late/table.csv || fail "a table that was cut"
induce 2 "does not belong to this study: its config has changed; --overwrite" late --set induction.by=5ms
for study in induce fit; do
    CARDIAC_PYTHON=$cold PYTHONPROFILEIMPORTTIME=1 expect 2 "unknown key" "$cardiac" $study ring.yaml --set induction.bye=5ms
    ! grep -q "numpy\|h5py" said || fail "a refusal of $study imports numpy"
done
# a sheet with a scar, as the ring; a site in the scar, and one in a corner of its own, whose V goes beyond the limit
cat > sheet.yaml <<'END'
version: 1
mesh: {sheet: {size: [24 mm, 24 mm], spacing: 1 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions:
    - {where: "ball([12 mm, 12 mm, 0 mm], 5.5 mm) or (ball([24 mm, 24 mm, 0 mm], 7 mm) and not ball([24 mm, 24 mm, 0 mm], 5 mm))", model: passive, conductivity: 0 S/m}
    - {where: x < 9 mm and y > 5 mm and y < 12 mm, model: mitchell-schaeffer, parameters: {tau_open: 40 ms, tau_close: 40 ms}, conductivity: 0.15 S/m}
    - {where: "ball([24 mm, 24 mm, 0 mm], 5 mm)", model: mitchell-schaeffer, parameters: {V_max: 600 mV}, conductivity: 0.15 S/m}
    - {model: mitchell-schaeffer, parameters: {tau_open: 30 ms, tau_close: 15 ms}, conductivity: 0.15 S/m}
stimuli: [{where: x < 1 mm, start: 5 ms, duration: 2 ms, current: 50 uA/uF, count: 2, period: 300 ms}]
time: {end: 2000 ms, step: 0.1 ms}
solver: {precision: double, voltage_limit: 400 mV}
output: {probes: {right: [22 mm, 12 mm, 0 mm]}}
induction: {sites: {"=below": [9 mm, 2 mm, 0 mm], scar: [12 mm, 12 mm, 0 mm], corner: [23 mm, 23 mm, 0 mm]}, from: 100 ms, to: 50 ms, by: 10 ms, extra: 1, sustained: 400 ms}
END
# Lesions: the wave that goes round the scar no longer does once a line joins that to the edge; the same table once more from it. Each re-entry has its maps, leads and tips, and a page shows them.
sed -e '/corner/d; /voltage_limit/s/, voltage_limit: 400 mV//; /V_max/d; /^induction:/d' sheet.yaml > lesion.yaml
cat >> lesion.yaml <<'END'
ecg: {electrodes: {RA: [60 mm, 0 mm, 60 mm], LA: [-60 mm, 0 mm, 60 mm], LL: [-30 mm, 0 mm, -90 mm]}}
induction:
  sites: {below: [9 mm, 2 mm, 0 mm]}
  lesions: [{name: line, where: x > 12 mm and y > 11 mm and y < 13 mm}, {name: "=spot", where: "ball([3 mm, 21 mm, 0 mm], 1.5 mm)"}]
  from: 100 ms
  to: 90 ms
  by: 10 ms
  extra: 1
  sustained: 400 ms
END
full && unset PYTHONPATH # of without_pages: one page is looked at; test_report.py has one of a table of its own
lesion() { expect "$1" "$2" "$cardiac" induce lesion.yaml --device cpu "${@:3}"; }
lesion 0 "lesion line: sites with sustained re-entry: 0 of 1" --threads 1 --results --output lesions
without_pages
grep -q "^lesion =spot: sites with sustained re-entry: 1 of 1" said || fail "$(cat said)"
grep -q "^branch of lesion line, site below, 90 ms: quiet" said || fail "$(cat said)"
[ "$(cut -d, -f7,9,19 lesions/table.csv | tail -n +2 | tr '\n' ' ')" = ",quiet, 100,quiet, 90,sustained, ,quiet,line 100,quiet,line 90,quiet,line ,quiet,'=spot 100,quiet,'=spot 90,sustained,'=spot " ] ||
    fail "$(cat lesions/table.csv)"
full || exit 0 # each of these again, and in more kinds of tissue
alone 150 2000 | awk '{ exit !($2 > 1990) }' || fail "S2 after 150 ms ends"
alone 110 700 > /dev/null # what S2 lifts stops next to the site
grep -q "the pulse at 515 ms: captured nothing: 4 of its 9 nodes rose, none beside them" alone/run.log || fail "S2 after 110 ms: $(cat alone/run.log)"
# a response that leaves its site late, while the plateau of S1 lasts on the other side of a smaller ring: it is captured, and goes round
sed -e 's/ring.elem/small.elem/; s/y > 0 mm and x > 12 mm/y > 0 mm/; s/tau_close: 70/tau_close: 60/; s/tau_open: 60/tau_open: 80/; s/0.2 S/0.1 S/g; s/23.873 mm, 0 mm, 0 mm\], 2 mm/9.549 mm, 0 mm, 0 mm], 1 mm/' ring.yaml > small.yaml
awk 'BEGIN { n = 120; turn = 2 * 3.14159265358979; r = 500 * n / turn; print n > "small.pts"; print n > "small.elem"
    for (i = 0; i < n; i++) { printf "%.10g %.10g 0\n", r * cos(turn * i / n), r * sin(turn * i / n) > "small.pts"
        print "Ln", i, (i + 1) % n, 1 > "small.elem" } }'
expect 0 "sites with sustained re-entry: 1 of 1" "$cardiac" induce small.yaml --device cpu --output small --set 'induction={from: 145 ms, to: 115 ms, by: 10 ms, extra: 1, sustained: 600 ms}'
[ "$(outcome small 145)" = quiet ] && [ "$(outcome small 135)" = sustained ] && [ "$(outcome small 125)" = sustained ] && [ "$(outcome small 115)" = "no capture" ] ||
    fail "$(cat small/table.csv)"
expect 0 "" "$cardiac" run small.yaml --quiet --device cpu --output small-run --set output.probes='{left: [-9.549 mm, 0 mm, 0 mm]}' --set activation.beats=20 \
    --set "stimuli[0]={where: 'ball([9.549 mm, 0 mm, 0 mm], 1 mm)', start: 5 ms, duration: 2 ms, current: 50 uA/uF, protocol: [{count: 2, period: 400 ms}, {after: 125 ms}]}"
[ "$(grep -c '^left' small-run/beats.csv)" -gt 6 ] || fail "S2 after 125 ms is followed by $(grep -c '^left' small-run/beats.csv) beats in a run"
# whatever the looks at the tissue and the steps: with S2 at 151.3 ms as at 151.2 ms, with blocks of 0.8 ms as with steps
induce 0 "" tenths --set 'induction={from: 151.3 ms, to: 151.2 ms, by: 0.1 ms, extra: 1, sustained: 600 ms}'
[ "$(grep -c ,sustained, tenths/table.csv)" = 2 ] || fail "$(cat tenths/table.csv)"
induce 0 "sites with sustained re-entry: 1 of 1" longest --set time.longest=0.8ms --set 'induction={from: 150 ms, to: 150 ms, extra: 1, sustained: 600 ms}'
[ "$(outcome longest 150)" = sustained ] || fail "$(cat longest/table.csv)"
# re-entry that ends after 300 ms: sustained is what lasts as long as was asked, here 500 ms, and 600 ms in the ring
above=(--set solver.splitting=godunov --set 'induction.sites={above: [15 mm, 27 mm, 0 mm]}' --set induction.from=80ms --set induction.to=70ms)
expect 0 "site above: non-sustained after 70 80 ms" "$cardiac" induce "$source/configs/induction.yaml" --device cpu --threads 1 --output ends "${above[@]}"
awk -F, '$9 == "sustained" && $10 < 600 || $9 == "non-sustained" && $10 > 500 { exit 1 }' {ends,whole}/table.csv || fail "$(cat {ends,whole}/table.csv)"
# the end of the refractory period to 1 ms, and what follows it: that of a scan
induce 0 "" peerp --set induction.protocol=peerp
end=$(awk -F, '$9 == "sustained" { print $7 }' peerp/table.csv)
induce 0 "" scan --set "induction={from: $end ms, to: $((end - 1)) ms, by: 1 ms, extra: 1, sustained: 600 ms}"
[ "$(outcome scan $((end - 1)))" = "no capture" ] && [ "$(cut -d, -f7-16 scan/table.csv | grep "^$end,")" = "$(cut -d, -f7-16 peerp/table.csv | tail -1)" ] || fail "$(cat scan/table.csv peerp/table.csv)"
induce 0 "" burst --set 'induction={protocol: burst, from: 150 ms, to: 150 ms, extra: 3, sustained: 600 ms}'
[ "$(outcome burst "150 150 150")" = sustained ] && [ "$(number burst "150 150 150" 8)" = 3 ] || fail "$(cat burst/table.csv)"
sites=(--set 'induction={extra: 1, from: 140 ms, to: 140 ms, where: x > -100 mm, spacing: 40 mm, sustained: 600 ms}')
induce 0 "sites with sustained re-entry: 1 of 3" many "${sites[@]}"
for part in 1 2; do induce 0 "" parts "${sites[@]}" --part $part/2; done
awk 'FNR > 1 || NR == 1' parts/table-{1,2}-of-2.csv | cmp - many/table.csv || fail "parts"
[ -e parts/vulnerability-2-of-2.vtkhdf ] || fail "$(ls parts)"
induce 0 "sites: 3; at most 2 branches" none "${sites[@]}" --dry-run
expect 0 "part 2 of 9 has no site: there are 3" "$cardiac" induce ring.yaml --output none "${sites[@]}" --dry-run --part 2/9
[ ! -e none ] || fail "--dry-run made files"
# time.end and output.every are those of `cardiac run`: they matter to no branch
expect 0 "at most 2 branches" "$cardiac" induce ring.yaml --output none "${sites[@]}" --dry-run --set time.end=4ms --set time.longest=0.8ms
grep -q "warning\|time.end" said && fail "$(cat said)"
induce 0 '"outcome": "sustained", "intervals": [150]' whole --json
for call in once again; do expect 3 "1 of 9 branches failed" "$cardiac" induce sheet.yaml --device cpu --threads 1 --output sheet; done
grep -q "^[0-9a-f]*,'=below,9,2,0," sheet/table.csv && [ "$(wc -l < sheet/table.csv)" = 10 ] || fail "$(cat sheet/table.csv)"
[ "$(outcome sheet 100)" = quiet ] && [ "$(outcome sheet 90)" = sustained ] && [ "$(outcome sheet 60)" = sustained ] && [ "$(outcome sheet 50)" = "no capture" ] || fail "$(cat sheet/table.csv)"
grep -q "scar,12,12,0,programmed,,0,no capture" sheet/table.csv && grep -q "corner,.*,,0,failed,.*blow-up" sheet/table.csv || fail "$(cat sheet/table.csv)"
beats() { # beats INTERVAL: of the probe, up to 800 ms after S2
    expect 0 "" "$cardiac" run sheet.yaml --quiet --device cpu --threads 1 --overwrite --output alone --set time.end=$((1100 + $1)) --set output.every=$((1100 + $1)) --set activation.beats=20 \
        --set "stimuli[0]={sphere: {centre: [9 mm, 2 mm, 0 mm], radius: 2 mm}, start: 5 ms, duration: 2 ms, current: 50 uA/uF, protocol: [{count: 2, period: 300 ms}, {after: $1 ms}]}"
    grep -c '^right' alone/beats.csv
}
[ "$(beats 90)" -gt 5 ] && [ "$(beats 50)" = 2 ] && [ "$(beats 100)" = 3 ] && [ "$(beats 60)" -gt 5 ] ||
    fail "the window is not that of runs of their own: $(for s2 in 100 90 60 50; do beats $s2; done) beats"
# What is there before S1 is no re-entry: a stimulus of the whole ring, whose re-entry is found all the same, and a wave of the initial
# state. A wave that goes round and round before S1, so that S1 does not capture, is activity.
first="[{name: S0, where: x > -100 mm, duration: 2 ms, current: 50 uA/uF}, {where: 'ball([23.873 mm, 0 mm, 0 mm], 2 mm)', start: 405 ms, duration: 2 ms, current: 50 uA/uF}]"
turned="[$(echo "$first" | sed 's/^.{\(.*\)}, {\(.*\)}.$/{\2, name: S1}, {\1}/')]"
induce 0 "sites with sustained re-entry: 1 of 1" covered --set "stimuli=$turned" --set 'induction={from: 140 ms, to: 140 ms, by: 10 ms, extra: 1, sustained: 600 ms}'
expect 0 "" "$cardiac" run ring.yaml --quiet --device cpu --overwrite --output wave --set time.end=440ms --set checkpoint.every=440ms
from=(--set initial.file=wave/checkpoint-4400.h5 --set 'stimuli[0].start=400 ms' --set 'stimuli[0].count=1')
induce 0 "sites with sustained re-entry: 1 of 1" wave-table "${from[@]}" --set 'induction={from: 160 ms, to: 140 ms, by: 20 ms, extra: 1, sustained: 600 ms}'
[ "$(outcome wave-table "")" = quiet ] && [ "$(outcome wave-table 160)" = quiet ] && [ "$(outcome wave-table 140)" = sustained ] || fail "$(cat wave-table/table.csv)"
expect 0 "" "$cardiac" run ring.yaml --quiet --device cpu --overwrite --output round --set time.end=1100ms --set checkpoint.every=1100ms \
    --set "stimuli[0]={where: 'ball([23.873 mm, 0 mm, 0 mm], 2 mm)', start: 5 ms, duration: 2 ms, current: 50 uA/uF, protocol: [{count: 2, period: 400 ms}, {after: 140 ms}]}"
induce 0 "active after S1" round-table --set initial.file=round/checkpoint-11000.h5 --set 'stimuli[0].count=1'
# maps that are missing, and those of a study that is written over
induce 2 "site-1-150.vtkhdf is missing: this branch was made without --results" late --results
touch whole/site-9-100.vtkhdf
induce 0 "" whole --results --overwrite --set 'induction={from: 150 ms, to: 150 ms, extra: 1, sustained: 600 ms}'
[ ! -e whole/site-9-100.vtkhdf ] && [ -e whole/site-1-150.vtkhdf ] || fail "maps of the study before: $(ls whole)"
# A table in use is not emptied, and an interruption leaves a study that goes on
CARDIAC_PYTHON=$cold "$cardiac" induce ring.yaml --device cpu --threads 1 --output busy --set induction.sustained=20s > busy.said 2>&1 &
busy() { [ "$(cat busy/table.csv 2> /dev/null | wc -l)" -ge 2 ]; }
wait_for "row" busy
kill -STOP $! # it keeps its lock
cp busy/table.csv before.csv
(induce 2 "another study is writing there" busy --overwrite --set induction.sustained=20s
    cmp -n "$(wc -c < before.csv)" before.csv busy/table.csv || fail "a table in use was emptied")
got=$?
kill -TERM $!; kill -CONT $!; wait $!; ended=$?
[ $got = 0 ] || exit 1
[ $ended = 143 ] && grep -q "the same command goes on" busy.said || { cat busy.said; fail "status $ended"; }
# Rows of a table that was cut between two are those of the whole one, as above of one cut within a row.
mkdir cut-table && head -6 all.csv > cut-table/table.csv
induce 0 "" cut-table
cmp all.csv cut-table/table.csv || fail "a table that was cut after 6 lines"
lesion 0 "9 branches are in lesions/table.csv" --results --output lesions
lesion 0 "sites: 1; at most 9 branches" --dry-run --output none
lesion 2 "does not belong to this study" --output lesions --set 'induction.lesions[0].name=other'
# a lesion that selects nothing, or all, is found before the first branch; other sites and other lesions keep the branches that are there
sed 's/where: x > 12 mm and y > 11/where: x > 92 mm and y > 11/; s/where: "ball.*}\]/where: x > -9 mm}]/' lesion.yaml > empty.yaml
expect 2 "induction.lesions[1].where: lesion =spot: it leaves no excitable tissue" "$cardiac" induce empty.yaml --device cpu --output none --dry-run
grep -q "^cardiac: empty.yaml:[0-9]*:[0-9]*: induction.lesions\[0\].where: lesion line: it holds at no element" said && [ ! -e none ] || fail "$(cat said)"
mkdir kept && cp lesions/table.csv kept
more=(--set 'induction.sites={more: [3 mm, 3 mm, 0 mm], below: [9 mm, 2 mm, 0 mm]}' --set 'induction.lesions[0].where=x > 11 mm and y > 11 mm and y < 13 mm')
lesion 2 "delete the lines of this lesion" --output kept "${more[@]}"
sed -i /,line,/d kept/table.csv
lesion 0 "6 branches are in kept/table.csv" --output kept "${more[@]}"
for lesion in "" "'=spot"; do
    [ "$(grep ",below,.*,$lesion,\$" kept/table.csv)" = "$(grep ",below,.*,$lesion,\$" lesions/table.csv)" ] || fail "lesion $lesion: $(cat kept/table.csv)"
done
for name in site-1-90 lesion-2-site-1-90; do
    awk -F, 'NR == 1 { exit !($2 == "I (mV)" && NF == 7) }' lesions/$name-ecg.csv && [ "$(wc -l < lesions/$name-ecg.csv)" -gt 250 ] || fail "$name: $(head -3 lesions/$name-ecg.csv)"
    grep -q "^time (ms),tip,x (mm)" lesions/$name-tips.csv || fail "$name: no tips.csv"
    expect 0 "last_turn" "$cardiac" info lesions/$name.vtkhdf
done
if grep -q "^page: lesions/report.html" said || [ -e lesions/report.html ]; then
    for text in "Sites with sustained re-entry: 1 of 1. Lesion line prevents it from 1 of these 1. Lesion =spot prevents it from 0 of these 1." "S2 90 ms" "per minute" \
        "turns around tissue that does not conduct" "goes on for 400 ms after" "came back first" "Leads during the turns" "Activation in the last turn"; do
        grep -q "$text" lesions/report.html || fail "report.html: no '$text'"
    done
    ! grep -q "ended by itself" lesions/report.html || fail "report.html: the re-entry goes on"
fi
lesion 4 "time is up" --overwrite --output lesions --stop-after 0.000001s
[ ! -e lesions/site-1-90-ecg.csv ] && [ ! -e lesions/lesion-2-site-1-90-tips.csv ] || fail "files of the study before: $(ls lesions)"
# a site in each segment of a left ventricle with a septum
sed -e "s,../meshes,$source/meshes,; s/tp06-epi/mitchell-schaeffer/; s/rule: ldrb.*/rule: ldrb}/; /fields:/d; s/step: 0.05 ms/step: 0.2 ms/; s/conductivity:/parameters: {tau_close: 30 ms}\n      &/" "$source/configs/heart.yaml" > heart.yaml
expect 0 "sites: 17; at most 2 branches" "$cardiac" induce heart.yaml --device cpu --output none --dry-run --set 'induction={sites: aha17, from: 300 ms, to: 300 ms, extra: 1, sustained: 100 ms}'
expect 0 "site 8 mid anteroseptal: quiet" "$cardiac" induce heart.yaml --device cpu --part 8/17 --output heart --set 'induction={sites: aha17, from: 150 ms, to: 150 ms, extra: 1, sustained: 100 ms, radius: 3 mm}'
[ "$(cut -d, -f2 heart/table-8-of-17.csv | uniq)" = "site
8 mid anteroseptal" ] || fail "$(cat heart/table-8-of-17.csv)"
expect 2 "ring.yaml: induction.sites: " "$cardiac" induce ring.yaml --output none --set induction.sites=aha17
# Purkinje cells, which beat by themselves, are not induced
cat > purkinje.yaml <<'END'
version: 1
mesh: {cable: {length: 3 mm, spacing: 0.5 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{model: stewart, conductivity: 0.2 S/m}]}
stimuli: [{where: x < 1 mm, start: 5 ms, duration: 2 ms, current: 60 uA/uF}]
time: {end: 100 ms, step: 0.05 ms}
END
expect 0 "active after S1" "$cardiac" induce purkinje.yaml --device cpu --threads 1 --output purkinje --set induction.sustained=1500ms
[ "$(wc -l < purkinje/table.csv)" = 2 ] && grep -q "a pacemaker, or re-entry" purkinje/table.csv || fail "$(cat purkinje/table.csv)"
refuses "induction.to: 1 ms is shorter than the stimulus" --set 'induction.to=1 ms'
printf '0 1\n2 1\n' > pulse.txt
refuses "induction.to: 1 ms is shorter than the stimulus (2 ms)" --set 'induction.to=1 ms' --set 'stimuli=[{where: x < 1 mm, pulse: pulse.txt, current: 50 uA/uF}]'
sed 's/to: 100 ms/to: 1 ms/' ring.yaml > short.yaml
expect 2 "short.yaml:12:31: induction.to: 1 ms is shorter than the stimulus (2 ms)" "$cardiac" induce short.yaml --output none
refuses "induction.where: it selects no node" --set 'induction.where=x > 90 mm'
refuses "stimulus S2 comes after the last S1 (405 ms)" --set 'stimuli[1]={where: x > 0 mm, duration: 1 ms, current: 9 uA/uF, count: 0, period: 300 ms}'
refuses "comes 40 times; with 2 extra stimuli at most 30" --set 'stimuli[0].count=40'
refuses "the first stimulus is S1" --set 'stimuli=[]'
expect 3 "the waves need up to" "$cardiac" induce ring.yaml --output none --set induction.sustained=1e9s
[ ! -e none ] || fail "it began without the memory"
refuses "--part: '3/2' is not a part" --part 3/2
sed -i 's/from: 170 ms/from: 3 mm/' ring.yaml
refuses "ring.yaml:12:19: induction.from: '3 mm' is not a time"
exit 0
