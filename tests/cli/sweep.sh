#!/bin/bash
# sweep.sh PROGRAM: each run of `cardiac sweep` has the bits of `cardiac run --set ...` alone, on one thread and on two, whatever ran
# before it; its table has the same numbers with results and without; it goes on where it was killed or interrupted; a run that
# fails is a row; and wrong values are errors with their place, before the first step.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
cat > sheet.yaml <<'END'
version: 1
mesh: {sheet: {size: [6 mm, 4 mm], spacing: 0.5 mm}}
tissue:
  surface_to_volume: 1400 /cm
  fibers: [1, 0, 0]
  regions:
    - {where: x < 3 mm, model: mitchell-schaeffer, conductivity: {longitudinal: 0.2 S/m, transverse: 0.1 S/m}}
    - {model: tp06-epi, conductivity: 0.15 S/m}
stimuli: [{where: x < 1 mm, duration: 2 ms, current: 50 uA/uF}]
time: {end: 4 ms, step: 0.05 ms}
output: {every: 1 ms, maps: [activation_time, apd90], probes: {a: [5 mm, 2 mm, 0 mm]}}
checkpoint: {every: 3 ms}
END
# stimuli, cells and maps on one matrix; then other matrices, precisions, regions, velocities, meshes; the first ones again behind them;
# and runs that fail, after which others go on
cat > runs.csv <<'END'
stimuli[0].current,time.end,tissue.regions[1].model,solver.precision,tissue.regions[0].where,solver.method,mesh.sheet.spacing,activation.beats,stimuli[0].where
50 uA/uF,,,,,,,,
60 uA/uF,3 ms,,,,,,2,
1e7 uA/uF,,,,,,,,
50 uA/uF,3 ms,tp06-endo,,,,,,
50 uA/uF,3 ms,,double,,,,,
50 uA/uF,3 ms,tp06-endo,double,x < 4 mm,,,,
50 uA/uF,,,,,,,,x < -9 mm
50 uA/uF,3 ms,,,,rkl2,,,
50 uA/uF,3 ms,,,,,1 mm,,
50 uA/uF,3 ms,,,,,,,
END
keys() { # keys ROW: its values as --set
    python3 - "$1" <<'END'
import csv, sys
rows = list(csv.reader(open("runs.csv")))
for key, value in zip(rows[0], rows[int(sys.argv[1])]):
    if value:
        print("%s=%s" % (key, value))
END
}
for threads in 1 2; do
    expect 3 "2 of 10 runs failed" "$cardiac" sweep sheet.yaml --table runs.csv --results --device cpu --threads $threads --output with$threads
    grep -q "3 meshes and 6 matrices" said || fail "the set-up was not shared: $(tail -2 said)"
    expect 3 "2 of 10" "$cardiac" sweep sheet.yaml --table runs.csv --device cpu --threads $threads --output without$threads
    cmp with$threads/table.csv without$threads/table.csv || fail "the table depends on the results"
    cmp with1/table.csv with$threads/table.csv || fail "the table depends on the threads"
done
[ "$(wc -l < with1/table.csv)" = 11 ] || fail "$(cat with1/table.csv)"
[ "$(cut -d, -f1-2 with1/table.csv | sort -u | wc -l)" = 11 ] || fail "$(cat with1/table.csv)"
row() { sed -n "$(($1 + 1))p" with1/table.csv; }
for k in 5 $([ $sanitized ] || echo 1 2 4 6 8 9 10); do
    set=(); while read -r key; do set+=(--set "$key"); done < <(keys $k)
    id=$(row $k | cut -d, -f2)
    expect 0 "" "$cardiac" run sheet.yaml --quiet --device cpu --threads 1 --overwrite --output alone "${set[@]}"
    for threads in 1 2; do
        same with$threads/"$id"/run.vtkhdf alone/run.vtkhdf
        same with$threads/"$id"/checkpoint-*.h5 alone/checkpoint-*.h5
        for table in probes beats; do cmp with$threads/"$id"/$table.csv alone/$table.csv || fail "run $k: $table.csv"; done
    done
done
row 3 | grep -q ',3,.*blow-up' || fail "run 3: $(row 3)"
row 7 | grep -q ',2,.*runs.csv:8:17: stimuli\[0\].where: it selects no node' || fail "run 7: $(row 7)"
row 1 | grep -q ',0,4,[0-9.]*,[0-9.]*,' || fail "run 1: $(row 1)"
# activation at the probe is that of beats.csv
awk -F, 'NR == 1 { for (c = 1; c <= NF; c++) if ($c == "activation_first[a] (ms)") at = c } NR == 2 { print $at }' with1/table.csv > arrival
awk -F, 'NR == 2 { print $3 }' with1/"$(row 1 | cut -d, -f2)"/beats.csv > beat
awk 'NR == FNR { a = $1; next } { exit !((a == "" && $1 == "") || (a - $1) ^ 2 < 1e-12) }' arrival beat || fail "activation at a probe: $(cat arrival beat)"
# the total activation is from the first node's to the last one's
awk -F, 'NR == 1 { for (c = 1; c <= NF; c++) at[$c] = c; next } $at["total_activation (ms)"] != "" { n++; d = $at["last_activation (ms)"] - $at["first_activation (ms)"] - $at["total_activation (ms)"]
    if ($at["first_activation (ms)"] <= 0 || d * d > 1e-18) exit 1 } END { exit n < 6 }' with1/table.csv || fail "$(cat with1/table.csv)"
# columns name their beat: the first and the last of four, as a run of its own has them
cat > beats.yaml <<'END'
version: 1
mesh: {cable: {length: 10 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{model: mitchell-schaeffer, parameters: {tau_open: 80 ms, tau_close: 60 ms}, conductivity: 0.2 S/m}]}
stimuli: [{where: x < 1 mm, duration: 2 ms, current: 50 uA/uF, protocol: [{count: 1}, {after: 160 ms}, {after: 140 ms}, {after: 130 ms}]}]
time: {end: 700 ms, step: 0.1 ms}
activation: {beats: 4}
output: {every: 700 ms, maps: [apd90], probes: {a: [8 mm, 0 mm, 0 mm]}}
ecg: {electrodes: {e: [12 mm, 2 mm, 0 mm]}}
END
printf 'time.end\n700 ms\n' > one.csv
expect 0 "" "$cardiac" sweep beats.yaml --table one.csv --results --device cpu --output beats
column() { awk -F, -v name="$1" 'NR == 1 { for (c = 1; c <= NF; c++) if ($c == name " (" unit($c) ")") at = c } NR == 2 { printf "%.4g\n", $at }
    function unit(text) { sub(/.*\(/, "", text); sub(/\)/, "", text); return text }' beats/table.csv; }
beat() { awk -F, -v n=$1 -v c=$2 '$1 == "a" && $2 == n { printf "%.4g\n", $c }' beats/*/beats.csv; }
[ "$(column "activation_first[a]") $(column "activation_last[a]")" = "$(beat 1 3) $(beat 4 3)" ] || fail "$(cat beats/table.csv beats/*/beats.csv)"
for n in first last; do echo "$(column apd90_$n) "; done | tr -d '\n' > apds
sed -n 's/^APD90: beat 1 \([0-9.]*\) ms.*beat 4 \([0-9.]*\) ms.*/\1 \2 /p' beats/*/run.log | tr -d '\n' | cmp - apds || fail "$(cat apds beats/*/run.log)"
awk -v first="$(column velocity_along_first)" -v last="$(column velocity_along_last)" 'BEGIN { exit !(last > 0.3 * first && last < 0.98 * first) }' || fail "$(cat beats/table.csv)"
awk -v first="$(column qt_first)" -v last="$(column qt_last)" 'BEGIN { exit !(last > 30 && last < first - 10) }' || fail "$(cat beats/table.csv)"
# conductivities that a velocity gives change with the cells: the matrix of the run before is not theirs
sed 's/conductivity: 0.2 S.m/velocity: 0.4 m\/s/; s/700 ms/20 ms/g; s/, protocol: [^]]*\]//; s/count: 1//; s/beats: 4/beats: 1/' beats.yaml > velocity.yaml
printf 'tissue.regions[0].parameters\n"{tau_in: 0.3 ms}"\n"{tau_in: 0.36 ms}"\n' > cells.csv
expect 0 "1 mesh and 2 matrices" "$cardiac" sweep velocity.yaml --table cells.csv --results --device cpu --output velocity
expect 0 "" "$cardiac" run velocity.yaml --quiet --device cpu --overwrite --output alone --set 'tissue.regions[0].parameters={tau_in: 0.36 ms}'
same "velocity/$(sed -n 3p velocity/table.csv | cut -d, -f2)/run.vtkhdf" alone/run.vtkhdf
# a drug acts on all regions: one mesh and one matrix, and a run of its own has the same bits
printf 'tissue.parameters.tau_in\nx1\nx1.2\n' > doses.csv
sed 's/velocity: 0.4 m.s/conductivity: 0.2 S\/m/' velocity.yaml > drug.yaml
expect 0 "1 mesh and 1 matrix" "$cardiac" sweep drug.yaml --table doses.csv --results --device cpu --output doses
expect 0 "" "$cardiac" run drug.yaml --quiet --device cpu --overwrite --output alone \
    --set 'tissue.regions[0].parameters.tau_in=0.36 ms'
expect 1 "" "$cardiac" compare doses/*/run.vtkhdf
same "doses/$(sed -n 3p doses/table.csv | cut -d, -f2)/run.vtkhdf" alone/run.vtkhdf
printf 'tissue.parameters.g_Kr\nx0.5\n' > doses.csv
expect 2 "doses.csv:2:1: tissue.parameters: no region's model has a parameter 'g_Kr'" "$cardiac" sweep drug.yaml --table doses.csv --device cpu --output none
# a torn line, as of a program that was killed; a table that grows; and nothing left to do
head -c 900 with1/table.csv > with2/table.csv
expect 3 "" "$cardiac" sweep sheet.yaml --table runs.csv --device cpu --output with2
cmp with1/table.csv with2/table.csv || fail "a killed study"
head -4 runs.csv > some.csv
expect 3 "" "$cardiac" sweep sheet.yaml --table some.csv --device cpu --threads 1 --output grows
expect 3 "3 of 10 runs are in grows/table.csv" "$cardiac" sweep sheet.yaml --table runs.csv --device cpu --threads 1 --output grows
cmp with1/table.csv grows/table.csv || fail "a table that grew"
expect 3 "10 of 10 runs" "$cardiac" sweep sheet.yaml --table runs.csv --output grows
expect 2 "grows/table.csv:2:3: run" "$cardiac" sweep sheet.yaml --table runs.csv --output grows --set solver.splitting=godunov
cut -d, -f1,2 some.csv > fewer.csv
expect 2 "grows/table.csv:1:1: the table of another study" "$cardiac" sweep sheet.yaml --table fewer.csv --output grows
# parts
for part in 1 2 3; do "$cardiac" sweep sheet.yaml --table runs.csv --device cpu --threads 1 --output parts --part $part/3 > /dev/null 2>&1; done
awk 'FNR > 1 || NR == 1' parts/table-{1,2,3}-of-3.csv | cmp - with1/table.csv || fail "parts"
# interrupted while it steps: that run goes on from its checkpoint, and its row is that of one that was not
printf 'stimuli[0].current,time.end\n50 uA/uF,4 ms\n50 uA/uF,20 s\n' > long.csv
"$cardiac" sweep sheet.yaml --table long.csv --results --device cpu --threads 1 --output long > said 2>&1 &
later_checkpoint() { ls long/*/checkpoint-*.h5 2> /dev/null | grep -qv checkpoint-60.h5; } # the first run has no other
wait_for "second run" later_checkpoint
kill -TERM $!; wait $!; got=$?
[ $got = 143 ] || { cat said; fail "status $got"; }
grep -q "interrupted after 1 of 2 runs: the same command goes on" said || fail "$(cat said)"
[ "$(wc -l < long/table.csv)" = 2 ] || fail "$(cat long/table.csv)"
"$cardiac" sweep sheet.yaml --table long.csv --results --device cpu --threads 1 --output long --stop-after 1 > said 2>&1
[ $? = 4 ] || fail "$(cat said)"
grep -qh "resumed from" long/*/run.log || fail "the run in progress began anew"
# the config's own lists, and with a table; what is no list is refused
for value in "10 ms" "[]" "{from: 1 ms, to: 2 ms, steps: 3}"; do
    for lists in "{time.end: $value}" "{time.step: [0.05 ms], time.end: $value}"; do
        expect 2 "sweep.time.end: expected a list of values, such as" "$cardiac" sweep sheet.yaml --set "sweep=$lists" --output value
    done
    expect 2 "sweep.time.end: expected a list of values, such as" "$cardiac" sweep sheet.yaml --set "sweep=$lists" --dry-run
done
cat >> sheet.yaml <<'END'
sweep:
  stimuli[0].duration: [1 ms, 2 ms]
  stimuli[0].where: [x < 1 mm, "y < 1 mm, or what else"]
END
expect 2 "sheet.yaml:15:" "$cardiac" sweep sheet.yaml --output lists
sed -i 's/"y < 1 mm, or what else"/"y < 1 mm"/' sheet.yaml
expect 0 "run 4 (4 of 4)" "$cardiac" sweep sheet.yaml --device cpu --output lists
# a warning is printed with the first run, and of how many rows with the last; numbers may differ
grep -q "warning: run 1: 78 of 117 nodes" said && grep -q "warning: run 2: 58 of 117 nodes" said && ! grep "warning: run [34]" said &&
    grep -q "warning: in all 4 rows: tissue.regions.1.: edges of 0.569 mm" said && ! grep "in all .* nodes were" said ||
    { cat said; fail "shared warnings"; }
[ "$(cut -d, -f3,4 lists/table.csv | tr '\n' ';')" = "stimuli[0].duration,stimuli[0].where;1 ms,x < 1 mm;1 ms,y < 1 mm;2 ms,x < 1 mm;2 ms,y < 1 mm;" ] ||
    fail "$(cat lists/table.csv)"
printf 'time.end\n1 ms\n2 ms\n' > ends.csv
expect 0 "run 8 (8 of 8)" "$cardiac" sweep sheet.yaml --table ends.csv --device cpu --output both
expect 0 "8 of 8 runs; they share 1 mesh and 1 matrix; 240 steps" "$cardiac" sweep sheet.yaml --table ends.csv --dry-run --output none
expect 0 "part 1 of 3 has no run: there are 2" "$cardiac" sweep sheet.yaml --table ends.csv --set 'sweep={}' --dry-run --output none --part 1/3
[ ! -e none ] || fail "--dry-run made files"
expect 2 "sheet.yaml:14:3: sweep: this config describes several runs" "$cardiac" run sheet.yaml --output none
expect 0 "sweep: 4 runs" "$cardiac" check sheet.yaml
# two schemes in one study, unless the user names them: with a loose tolerance two sweeps suffice where stability needs five stages
printf 'tissue.regions[0].conductivity\n0.03 S/m\n0.6 S/m\n' > schemes.csv
cable=(--table schemes.csv --set 'sweep={}' --set 'mesh={cable: {length: 4 mm, spacing: 0.1 mm}}' --set 'tissue.regions[0].where=x >= 0 mm' --set output.probes={}
    --set 'solver.tolerance=1 mV')
expect 0 "auto has chosen rkl2 for some runs and sweeps for others" "$cardiac" sweep sheet.yaml "${cable[@]}" --output auto
expect 0 "" "$cardiac" sweep sheet.yaml "${cable[@]}" --set solver.method=rkl2 --output named
! grep "auto has chosen" said || fail "a method that was named"
printf 'stimuli[0].duration\n1 ms\n' > twice.csv
expect 2 "twice.csv:1:1: stimuli[0].duration: is also a list" "$cardiac" sweep sheet.yaml --table twice.csv
sed -i '/^sweep/,$d' sheet.yaml
# what is wrong is said with its place, for all runs, before the first step
wrong() { printf "$1" > wrong.csv; expect 2 "$2" "$cardiac" sweep sheet.yaml --table wrong.csv --output none; [ ! -e none ] || fail "$1: it began"; }
wrong 'time.end,stimuli[0].durtion\n1 ms,1 ms\n' "wrong.csv:1:10: stimuli[0].durtion: unknown key (did you mean 'duration'?)"
wrong 'time.end,time.step\n1 ms,0.1 ms\n1 mm,0.1 ms\n' "wrong.csv:3:1: time.end: '1 mm' is not a time"
wrong 'time.end\n1 mm\n2 mm\n' "wrong.csv:3:1: time.end: '2 mm' is not a time"
wrong 'time.end,time.step\n1 ms,"[0.1\n' "wrong.csv:2:6: a cell that begins with a double quote"
wrong 'time.end,time.step\n1 ms,"[0.1"\n' "wrong.csv:2:7: '[0.1' is not a value: not valid YAML"
wrong 'time.end,time.step\n1 ms\n' "wrong.csv:2:1: 1 cells, but there are 2 names"
wrong 'time.end,time.end\n1 ms,2 ms\n' "wrong.csv:1:10: column 'time.end' appears twice"
wrong 'time.end,\n1 ms,2 ms\n' "wrong.csv:1:10: column 2 has no name"
wrong 'time.end\n' "wrong.csv:2:1: no row follows"
wrong '\n' "wrong.csv:1:1: expected a line of column names"
wrong 'time.end\n1 ms\n1.0 ms\n' "runs 1 and 2 are the same"
wrong 'mesh..a\n1\n' "wrong.csv:1:1: not a key"
wrong 'time.end,time\n1 ms,{end: 2 ms}\n' "wrong.csv:1:10: 'time' and 'time.end' give the same value"
wrong 'stimuli[0].current,stimuli\n1 uA/uF,[]\n' "'stimuli' and 'stimuli[0].current' give the same value"
one='[{model: tp06-epi, conductivity: 0.1 S/m}]' two='[{where: x < 1 mm, model: tp06-epi, conductivity: 0.1 S/m}, {model: tp06-epi, conductivity: 0.1 S/m}]'
wrong "tissue.regions\\n\"$two\"\\n\"$one\"\\n" "run 2 has 1 regions and run 1 has 2"
# files that are missing, and one that has changed
printf 'time.end\n1 ms\n' > short.csv
expect 0 "" "$cardiac" sweep sheet.yaml --table short.csv --output bare
expect 2 "run.vtkhdf is missing: this run was made without --results" "$cardiac" sweep sheet.yaml --table short.csv --output bare --results
printf '1\n2\n' > list.txt
expect 0 "" "$cardiac" sweep sheet.yaml --table short.csv --output listed --set 'stimuli=[{nodes: list.txt, duration: 2 ms, current: 50 uA/uF}]'
expect 0 "1 of 1 runs are in" "$cardiac" sweep sheet.yaml --table short.csv --output listed --set 'stimuli=[{nodes: list.txt, duration: 2 ms, current: 50 uA/uF}]'
paced='tissue.regions[1].initial={pace: 1, period: 300 ms, times: times.txt}'
yes 100 | head -117 > times.txt
expect 0 "" "$cardiac" sweep sheet.yaml --table short.csv --output timed --set "$paced"
yes 110 | head -117 > times.txt
expect 2 "does not belong to this study: since then these files have changed: times.txt; --overwrite" "$cardiac" sweep sheet.yaml --table short.csv --output timed --set "$paced"
printf '1\n2\n3\n' > list.txt
expect 2 "since then these files have changed: list.txt; " "$cardiac" sweep sheet.yaml --table short.csv --output listed --set 'stimuli=[{nodes: list.txt, duration: 2 ms, current: 50 uA/uF}]'
expect 2 "sheet.yaml: describes one run" "$cardiac" sweep sheet.yaml
# by the contents of files: a copy of study and inputs goes on, a surface that has changed is refused
mkdir heart && ellipsoid='mesh: {ellipsoid: {size: [6 mm, 15 mm, 4 mm], edge: 3 mm}' && seq 0 5 > heart/epi.txt
sed "s/^mesh: .*/$ellipsoid, surfaces: {epi: epi.txt}}/; s/^  fibers.*/  fibers: {across: z, from: 60 deg, to: -60 deg}/" sheet.yaml > heart/heart.yaml
expect 0 "" "$cardiac" sweep heart/heart.yaml --table short.csv --output heart/out
touch heart/epi.txt && expect 0 "1 of 1 runs are in" "$cardiac" sweep heart/heart.yaml --table short.csv --output heart/out
cp -r heart copied && expect 0 "1 of 1 runs are in" "$cardiac" sweep copied/heart.yaml --table short.csv --output copied/out
echo 6 >> copied/epi.txt && cp copied/out/table.csv before.csv
expect 2 "since then these files have changed: copied/epi.txt; " "$cardiac" sweep copied/heart.yaml --table short.csv --output copied/out
(cd copied && sha256sum --check out/table.inputs) > said 2>&1; grep -qx "epi.txt: FAILED" said || { cat said; fail "the list of files"; }
rm copied/out/table.inputs # as of an earlier version
expect 2 "its config, table or files have changed" "$cardiac" sweep copied/heart.yaml --table short.csv --output copied/out
expect 2 "its config or table has changed" "$cardiac" sweep heart/heart.yaml --table short.csv --output heart/out --set tissue.surface_to_volume=1401/cm
cmp before.csv copied/out/table.csv || fail "a refused study writes into its table"
# ids of an earlier version
sed -E -i '2 s/^([0-9]+),([0-9a-f]{12})[0-9a-f]{4},/\1,\2,/' heart/out/table.csv && cp heart/out/table.csv before.csv
expect 2 "was made by an earlier version, whose ids do not depend on the contents of files" "$cardiac" sweep heart/heart.yaml --table short.csv --output heart/out
cmp before.csv heart/out/table.csv || fail "the table of an earlier version is changed"
expect 0 "1 run, 0 failed" "$cardiac" sweep heart/heart.yaml --table short.csv --output heart/out --overwrite
expect 2 "--part: '4/3' is not a part" "$cardiac" sweep sheet.yaml --table runs.csv --part 4/3
# The maps of all runs in one file: those of each run's own, none of a run that failed; the same after an interruption, and one mesh alone
cat > maps.csv <<'END'
stimuli[0].current
50 uA/uF
1e7 uA/uF
60 uA/uF
70 uA/uF
END
expect 3 "1 of 4 runs failed" "$cardiac" sweep sheet.yaml --table maps.csv --maps --results --device cpu --output maps
python3 - maps <<'END' || fail "maps of the sweep"
import csv, sys
try:
    import h5py, numpy
except ImportError:
    sys.exit(0)
folder = sys.argv[1]
with h5py.File(folder + "/maps.vtkhdf", "r") as of_all, open(folder + "/table.csv", encoding="utf-8") as table:
    for k, row in enumerate(csv.DictReader(table)):
        for name in "activation_time", "apd90":
            here = of_all["views/%s/%06d" % (name, k)][:]
            if row["status"] == "0":
                with h5py.File("%s/%s/run.vtkhdf" % (folder, row["id"]), "r") as own:
                    assert numpy.array_equal(here, own["VTKHDF/PointData/" + name][:], equal_nan=True), (k, name)
            else:
                assert numpy.isnan(here).all(), (k, name)
    assert list(of_all["VTKHDF/Steps/Values"][:]) == [1, 2, 3, 4]
END
cp maps/maps.vtkhdf whole.vtkhdf
sed -i '3,4d' maps/table.csv # as where the program was killed behind its second run and the row of its third is gone
expect 3 "1 of 4 runs failed" "$cardiac" sweep sheet.yaml --table maps.csv --maps --device cpu --output maps
expect 0 "" "$cardiac" compare whole.vtkhdf maps/maps.vtkhdf
rm maps/maps.vtkhdf
expect 2 "maps.vtkhdf" "$cardiac" sweep sheet.yaml --table maps.csv --maps --device cpu --output maps
expect 3 "" "$cardiac" sweep sheet.yaml --table maps.csv --maps --device cpu --output maps --overwrite
expect 0 "" "$cardiac" compare whole.vtkhdf maps/maps.vtkhdf
sed '3i 55 uA/uF' maps.csv > inserted.csv
expect 2 "table.csv:3:1: this run is number 3 now and its maps are at 2 ms of maps/maps.vtkhdf" "$cardiac" sweep sheet.yaml --table inserted.csv --maps --device cpu --output maps
expect 0 "" "$cardiac" compare whole.vtkhdf maps/maps.vtkhdf
sed '$a 80 uA/uF' maps.csv > appended.csv
expect 3 "run 5 (5 of 5)" "$cardiac" sweep sheet.yaml --table appended.csv --maps --device cpu --output maps
mkdir -p mine && echo mine > mine/maps.vtkhdf
expect 2 "mine/maps.vtkhdf exists and is no file of this program's" "$cardiac" sweep sheet.yaml --table maps.csv --maps --device cpu --output mine
[ "$(cat mine/maps.vtkhdf)" = mine ] || fail "a file of the user's"
# Killed between the maps and the row of the first run: the same command goes on; maps of another study are not taken for it
sed -n 1,2p maps.csv > one.csv; sed '2s/50/60/' one.csv > other.csv
maps=(--maps --device cpu --output killed)
expect 0 "" "$cardiac" sweep sheet.yaml --table one.csv "${maps[@]}"
cp killed/maps.vtkhdf whole.vtkhdf; sed -i '2,$d' killed/table.csv
expect 2 "killed/maps.vtkhdf exists, but no run of this study is in its table" "$cardiac" sweep sheet.yaml --table one.csv "${maps[@]}" --set time.end=99ms
expect 0 "1 run, 0 failed" "$cardiac" sweep sheet.yaml --table one.csv "${maps[@]}"
expect 0 "" "$cardiac" compare whole.vtkhdf killed/maps.vtkhdf
# A full disk, as a limit on the size of files is, ends the study: it is no result of a run, which the same command makes when there is room
for option in "--maps 16" "--results 16" "--results 60"; do # the last while frames are written
    limit=${option#* } option=${option% *}
    rm -rf full
    expect 3 "run 1 has no row: the same command goes on" bash -c "ulimit -f $limit; exec '$cardiac' sweep sheet.yaml --table one.csv $option --device cpu --output full"
    [ "$(wc -l < full/table.csv)" = 1 ] || { cat full/table.csv; fail "a full disk became a row"; }
    expect 0 "1 run, 0 failed" "$cardiac" sweep sheet.yaml --table one.csv $option --device cpu --output full
done
expect 2 "run 9 has another mesh than run 1" "$cardiac" sweep sheet.yaml --table runs.csv --maps --device cpu --output none
