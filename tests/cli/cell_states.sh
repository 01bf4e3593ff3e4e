#!/bin/bash
# cell_states.sh PROGRAM: a cell's states from one command to the next and into tissue: saved and begun with, steady, paced at the
# start of a run; each with the bits of a cell that was never stopped.
. "$(dirname "$0")/../support/run_helpers.sh"
export XDG_CACHE_HOME=$dir/cache
mkdir cache
model=luo-rudy-1991
parameter="--parameter ik.g_K=x2 --splitting godunov"

# states FILE: what it says of the states alone
states() { sed -n '/^states:/,$p' "$1"; }

# three beats and one more are four, in steps that have no history
expect 0 "" "$cardiac" cell $model $parameter --beats 3 --period 400 --save three.yaml
expect 0 "" "$cardiac" cell $model $parameter --beats 4 --period 400 --save four.yaml
expect 0 "" "$cardiac" cell $model $parameter --initial three.yaml --stim-start 0 --period 400 --save on.yaml
grep -q "warning" said && fail "$(cat said)"
[ "$(states on.yaml)" = "$(states four.yaml)" ] || fail "three and one are not four: $(diff on.yaml four.yaml)"
grep -qx 'parameters: {ik.g_K: 0.564 mS/uF}' three.yaml || fail "$(cat three.yaml)"
expect 0 "saved with ik.g_K 0.564, which is 0.282 here" "$cardiac" cell $model --initial three.yaml --duration 1
[ "$(states three.yaml | grep -c ' mV$\| mM$')" = 2 ] || fail "units: $(cat three.yaml)"

# ... and in tissue of which no part conducts, whether the states come from the file, from a map or from pacing at its start;
# the first line of probes.csv is where it begins
names=$(states four.yaml | sed -n 's/^  \(.*\): .*/\1/p' | paste -sd, -)
config() {
    cat <<END
version: 1
mesh: {cable: {length: 0.7 mm, spacing: 0.1 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions:
    - {tags: all, model: $model, parameters: {ik.g_K: x2}, conductivity: 0 S/m, initial: $1}
stimuli:
  - {sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 52 uA/uF}
time: {end: 400 ms, step: 0.02 ms}
output: {every: 400 ms, fields: [$names], probes: {P: [0 mm, 0 mm, 0 mm]}}
checkpoint: {every: 200 ms}
solver: {splitting: godunov}
END
}
# probed STATES: "time,value,value ..." as probes.csv has them
probed() { printf %s "$1"; states "$2" | awk '/^  / { printf ",%s", $2 }'; echo; }
config '{file: three.yaml}' > file.yaml
config "{$(states three.yaml | sed -n 's/^  //p' | paste -sd, -)}" > map.yaml
config '{pace: 3, period: 400 ms}' > pace.yaml
for how in file map pace; do
    expect 0 "" "$cardiac" run $how.yaml --quiet --device cpu --output $how
    [ "$(tail -1 $how/probes.csv)" = "$(probed 400 four.yaml)" ] || fail "$how: $(tail -1 $how/probes.csv) $(probed 400 four.yaml)"
done
[ "$(sed -n 2p file/probes.csv)" = "$(probed 0 three.yaml)" ] || fail "$(head -2 file/probes.csv)"
same file/checkpoint-20000.h5 map/checkpoint-20000.h5
same file/checkpoint-20000.h5 pace/checkpoint-20000.h5
grep -q "after 3 beats of 400 ms" pace/run.log || fail "$(cat pace/run.log)"

# resumed it is the same; with other states it is another run, whatever the file is called
cp -r file again && rm again/checkpoint-20000.h5
expect 0 "" "$cardiac" run file.yaml --quiet --device cpu --output again --resume
same file/checkpoint-20000.h5 again/checkpoint-20000.h5
config '{file: four.yaml}' > other.yaml
expect 2 "resume refused" "$cardiac" run other.yaml --quiet --device cpu --output again --resume
grep -q "tissue.regions\[0\].initial.V was" said || fail "$(cat said)"
# the printed config has the values themselves
"$cardiac" check file.yaml --resolved 2>/dev/null > printed.yaml
rm three.yaml
expect 0 "" "$cardiac" run printed.yaml --quiet --device cpu --output printed
same file/checkpoint-20000.h5 printed/checkpoint-20000.h5

# paced once: kept, made anew where the entry is damaged
entry=$(ls cache/cardiac/*.states) || fail "nothing was kept"
printf 'x' | dd of="$entry" bs=1 seek=9 conv=notrunc 2>/dev/null
expect 0 "" "$cardiac" run pace.yaml --quiet --device cpu --output damaged
same file/checkpoint-20000.h5 damaged/checkpoint-20000.h5
expect 0 "" "$cardiac" run pace.yaml --quiet --device cpu --output other --set 'tissue.regions[0].parameters={}' --set time.end=200ms --set output.every=200ms
[ "$(ls cache/cardiac/*.states | wc -l)" = 2 ] || fail "other parameters took the same entry"
# a text whose V lies elsewhere is another cell
if full; then
cat > unitless.mmt <<'END'
[[model]]
membrane.u = 0.02
membrane.v = 0
[engine]
time = 0 bind time
pace = 0 bind pace
[membrane]
dot(u) = -8 * u * (u - 0.15) * (u - 1) - u * v + engine.pace
dot(v) = -(0.002 + 0.2 * v / (u + 0.3)) * (v + 8 * u * (u - 1.15))
END
at_rest() { # at_rest V OUTPUT ARGUMENT...
    "$cardiac" run pace.yaml --quiet --device cpu --output "$2" --set time.end=1ms --set output.every=1ms --set 'output.fields=[V, membrane.v]' "${@:3}" \
        --set "tissue.regions=[{model: {file: unitless.mmt, time_unit: 13 ms, voltage: {name: membrane.u, rest: $1 mV, amplitude: 100 mV}}, conductivity: 0.1 S/m, initial: {pace: 2, period: 400 ms}}]"
}
for rest in -80 -70; do
    expect 0 "" at_rest $rest rest$rest
    awk -F, -v rest=$rest 'NR == 2 { d = $2 - rest; exit !(d * d < 1) }' rest$rest/probes.csv || fail "V at rest of $rest mV: $(sed -n 2p rest$rest/probes.csv)"
done
expect 0 "rest-80/run.vtkhdf: there unitless has another \`voltage\` or \`time_unit\`" at_rest -70 moved --set initial.file=rest-80/run.vtkhdf
expect 0 "" at_rest -80 on --set initial.file=rest-80/run.vtkhdf
grep -q "there unitless" said && fail "$(cat said)"
# ... and its saved states record that path
if command -v cc gcc clang > /dev/null; then
    unitless() { "$cardiac" cell unitless.mmt --model time_unit=13ms --model voltage.name=membrane.u --model "voltage.rest=$1 mV" --model voltage.amplitude=100mV --duration 1 "${@:2}"; }
    expect 0 "" unitless -80 --save eighty.yaml
    expect 0 "" unitless -80 --initial eighty.yaml
    grep -q warning said && fail "$(cat said)"
    expect 0 "warning: eighty.yaml: saved with voltage.rest -80, which is -70 here" unitless -70 --initial eighty.yaml
    expect 0 "eighty.yaml was saved with voltage.rest -80, which is -70 here, time_unit 13, which is 14 here" "$cardiac" check map.yaml \
        --set 'tissue.regions=[{model: {file: unitless.mmt, time_unit: 14 ms, voltage: {name: membrane.u, rest: -70 mV, amplitude: 100 mV}}, conductivity: 0.1 S/m, initial: {file: eighty.yaml}}]' --set 'output.fields=[V]'
    sed -i 's/^voltage.rest: .*/voltage.rest: 80 ms/' eighty.yaml
    expect 2 "eighty.yaml:3:15: '80 ms' is not a number in mV" unitless -80 --initial eighty.yaml
else
    echo "saved states of texts of one's own, no C compiler: skipped"
fi
fi
chmod 755 cache/cardiac
expect 2 "chmod 700" "$cardiac" check pace.yaml
chmod 700 cache/cardiac

# steady: a beat more changes no state by more than was asked, of its range in that beat; the beat before did
expect 0 "steady after" "$cardiac" cell $model --until-steady 0.5% --period 500 --save steady.yaml
beats=$(sed -n 's/^steady after \([0-9]*\) .*/\1/p' said)
[ "$beats" -gt 2 ] || fail "steady at once: $(cat said)"
grep -qx "beats: $beats" steady.yaml || fail "$(cat steady.yaml)"
change() { # change BEATS: the largest change of the last beat, from its table, begun so many beats after rest
    expect 0 "" "$cardiac" cell $model --beats $(($1 - 1)) --period 500 --save before.yaml
    expect 0 "" "$cardiac" cell $model --initial before.yaml --stim-start 0 --period 500 --every 0.02 --output beat.csv
    awk -F, 'NR == 2 { for (k = 2; k < NF; k++) low[k] = high[k] = first[k] = $k + 0 }
        NR > 1 { for (k = 2; k < NF; k++) { v = $k + 0; if (v < low[k]) low[k] = v; if (v > high[k]) high[k] = v; last[k] = v } }
        END { for (k = 2; k < NF; k++) { c = (last[k] - first[k]) / (high[k] - low[k]); c = c < 0 ? -c : c; if (c > most) most = c }
              printf "%.6f\n", most }' beat.csv
}
at() { awk "BEGIN { exit !($1) }"; }
at "$(change $((beats - 1))) >= 0.005" || fail "steady a beat before"
at "$(change "$beats") < 0.005" || fail "not steady"
at "$(change $((beats + 1))) < 0.005" || fail "not steady a beat later"
expect 1 "not steady after 2 beats" "$cardiac" cell $model --until-steady 0.5% --beats 2 --period 500 --save two.yaml
[ -s two.yaml ] || fail "the states after two beats were lost"
expect 0 "steady after" "$cardiac" cell $model --until-steady 0.5% --s1 100x500ms --s2 400:400:1
[ "$(grep -c '^ *[0-9]* *[0-9]*10 ' said)" = $((beats + 1)) ] || fail "S1: $(cat said)"

# what a file lacks is reported
sed '/^  ina.h:/d; /^  V:/d' two.yaml > fewer.yaml
expect 0 "warning: fewer.yaml: saved with no V and others" "$cardiac" cell $model --initial fewer.yaml --duration 1

# mixed state is saved as exactly
expect 0 "" "$cardiac" cell tp06-epi --splitting godunov --state mixed --beats 2 --period 300 --save two.yaml
expect 0 "" "$cardiac" cell tp06-epi --splitting godunov --state mixed --beats 1 --period 300 --save one.yaml
expect 0 "" "$cardiac" cell tp06-epi --splitting godunov --state mixed --initial one.yaml --stim-start 0 --period 300 --save on.yaml
[ "$(states on.yaml)" = "$(states two.yaml)" ] || fail "mixed: $(diff on.yaml two.yaml)"

# a text of one's own, whose name the file records with a digest of its contents
"$cardiac" models fenton-karma-br --mmt > my.mmt # the shortest to compile
if command -v cc gcc clang > /dev/null; then
    expect 0 "" "$cardiac" cell my.mmt --beats 2 --save my.yaml
    expect 0 "" "$cardiac" cell my.mmt --initial my.yaml --duration 1
    grep -q warning said && fail "$(cat said)"
    echo >> my.mmt
    expect 0 "saved with a different text of the model" "$cardiac" cell my.mmt --initial my.yaml --duration 1
else
    echo "saved states of a changed text, no C compiler: skipped"
fi

# what can be wrong
expect 2 "one.yaml:1:8: a cell of tp06-epi, not of $model" "$cardiac" cell $model --initial one.yaml
initial() { local text=$1; shift; expect 2 "$text" "$cardiac" check map.yaml --set "tissue.regions[0].initial=$1"; }
initial "a cell of tp06-epi" '{file: one.yaml}'
initial "did you mean 'calcium.Ca_i'" '{calcium.Ca_j: 1 mM}'
initial "did you mean 'calcium.Ca_i'" '{calcium.Ca_i: 1e-4 mM, calcium.Cai: 1 mM}'
initial "is not a number in mM" '{calcium.Ca_i: 1 mV}'
initial "is not a number in mV" '{V: 1 mM}'
initial "period is missing" '{pace: 3}'
initial "unknown key 'beats'" '{pace: 3, beats: 2, period: 1 s}'
initial "the nearest is 1000 ms" '{pace: 3, period: 1000.001 ms}'
initial "more than 1e+09 steps" '{pace: 100000, period: 1000 ms}'
initial "is shorter than the stimulus" '{pace: 2, period: 0.5 ms}'
initial "file allows no other keys" '{file: one.yaml, V: 1 mV}'
initial "expected a map" epi.yaml
initial "No such file" '{file: none.yaml}'
initial "not a file" '{file: cache}'
sed 's/^beats/beat/' two.yaml > broken.yaml
expect 2 "broken.yaml:5:" "$cardiac" cell tp06-epi --initial broken.yaml
grep -q "did you mean 'beats'" said || fail "$(cat said)"
sed 's/^  Ca_i: .*/  Ca_i: nan/' two.yaml > broken.yaml
expect 2 "'nan' is not a number" "$cardiac" cell tp06-epi --initial broken.yaml
sed '/^states:/,$d' two.yaml > broken.yaml
expect 2 "states are missing" "$cardiac" cell tp06-epi --initial broken.yaml
expect 2 "No such file" "$cardiac" cell tp06-epi --save none/there.yaml
expect 2 "is not a fraction" "$cardiac" cell tp06-epi --until-steady soon
expect 2 "not between 0 and 100" "$cardiac" cell tp06-epi --until-steady 120%
expect 2 "it determines the end" "$cardiac" cell tp06-epi --until-steady 1% --duration 20
expect 0 "has no effect: initial.file" "$cardiac" check map.yaml --set initial.file=file/checkpoint-20000.h5
exit 0
