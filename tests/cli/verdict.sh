#!/bin/bash
# verdict.sh PROGRAM: what a run reports of its tissue where something did not happen: each case with its line, in words and as JSON.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"

# config NAME MESH REGIONS STIMULI END [LINE...]
config() {
    {
        echo "version: 1"
        echo "mesh: {$2}"
        echo "tissue: {surface_to_volume: 1400 /cm, fibers: [1, 0, 0], regions: [$3]}"
        echo "stimuli: [$4]"
        echo "time: {end: $5, step: 0.1 ms}"
        echo "output: {directory: $1, every: 50 ms}"
        printf '%s\n' "${@:6}"
    } > "$1.yaml"
}
# verdict NAME LINE [OPTION...]: a line of the log of a run, --json has the same; logged NAME LINE: another line of it
verdict() {
    "$cardiac" run "$1.yaml" --overwrite --threads 1 --json "${@:3}" > "$1.json" 2> "$1.err" || { cat "$1.err"; fail "status of $1"; }
    logged "$1" "$2"
}
logged() {
    local all; IFS= read -rd '' all < "$1/run.log"
    [[ $all == *"$2"* ]] || { cat "$1/run.log"; fail "$1: no '$2'"; }
    local before=${all%%"$2"*} behind=${all#*"$2"}
    echo "$1: ${before##*$'\n'}$2${behind%%$'\n'*}"
}
unlogged() { ! grep -F -- "$2" "$1/run.log" || fail "$1 has '$2'"; }
warned() { grep -q "^cardiac: warning: .*$2" "$1.err" || { cat "$1.err"; fail "$1: no warning '$2'"; }; }
quiet() { ! grep -E 'captured nothing|faded|not activated|no node' "$1.err" || fail "$1 warns"; }
json() {
    local all; IFS= read -rd '' all < "$1.json"
    all=${all%$'\n'}
    [[ ${all##*$'\n'} == *"$2"* ]] || { tail -n 1 "$1.json"; fail "$1: no $2 in JSON"; }
}

cable='cable: {length: 10 mm, spacing: 0.25 mm}'
fast='{model: mitchell-schaeffer, parameters: {tau_open: 40 ms, tau_close: 20 ms}, conductivity: 0.2 S/m}'
left='box: {min: [0 mm, 0 mm, 0 mm], max: [1 mm, 99 mm, 0 mm]}'
middle='box: {min: [4 mm, 0 mm, 0 mm], max: [5 mm, 99 mm, 0 mm]}'
good="{name: S1, $left, duration: 2 ms, current: 50 uA/uF}"

config good "$cable" "$fast" "$good" '200 ms'
verdict good 'stimulus S1 at 0 ms: captured: 36 nodes followed, 1.'
logged good 'activated: 41 of 41 nodes'
logged good 'velocity: 0.38'
quiet good
json good '"end": "captured"'

config weak "$cable" "$fast" "{name: S1, $left, duration: 1 ms, current: 5 uA/uF}" '60 ms'
verdict weak 'stimulus S1 at 0 ms: captured nothing, too weak or too short: it raised none of its 5 nodes through the threshold in the 60 ms until the run ended'
warned weak 'too weak'
json weak '"end": "nothing", "why": "too weak"'

config negative "$cable" "$fast" "{name: S1, $left, duration: 2 ms, current: -50 uA/uF}" '60 ms'
verdict negative 'stimulus S1 at 0 ms: captured nothing, wrong sign: a negative current hyperpolarises'
warned negative 'wrong sign'
json negative '"end": "nothing", "why": "wrong sign"'

# S2 where S1 was 30 ms ago; and 150 ms ago, when it captures
config refractory "$cable" "$fast" "$good, {name: S2, $middle, start: 40 ms, duration: 2 ms, current: 50 uA/uF}" '200 ms'
verdict refractory 'stimulus S2 at 40 ms: captured nothing, refractory (activated at 1'
warned refractory 'S2 .* refractory'
json refractory '"name": "S2", "nodes": 5, "captured": 0, "pulses": [{"start": 40, "end": "nothing", "why": "refractory"'
verdict refractory 'stimulus S2 at 150 ms: captured: 36 nodes' --set stimuli[1].start=150ms
quiet refractory

# The wave of S1 passes nodes that a second stimulus could not excite; a slow ramp excites them late, but during the pulse.
config passed "$cable" "$fast" "$good, {name: S2, $middle, start: 9 ms, duration: 4 ms, current: 0.1 uA/uF}" '60 ms'
verdict passed 'stimulus S2 at 9 ms: captured nothing: another wave, that of 0 ms, activated its nodes while it was on'
warned passed 'another wave'
json passed '"why": "another wave"'
verdict passed 'stimulus S2 at 9 ms: captured nothing, wrong sign' --set 'stimuli[1].current=-5 uA/uF'
verdict passed 'stimulus S2 at 9 ms: captured nothing, no current' --set 'stimuli[1].current=0 uA/uF'
printf '0 0\n50 1\n' > ramp.txt
config ramp "$cable" "$fast" "{name: S1, $left, pulse: ramp.txt, current: 5 uA/uF}" '80 ms'
verdict ramp 'stimulus S1 at 0 ms: captured: 36 nodes followed, 24'
quiet ramp

# trains, of which pulses fail; the record of activations survives a resume
config train "$cable" "$fast" "{name: S1, $left, duration: 2 ms, current: 50 uA/uF, protocol: [{count: 3, period: 120 ms}, {after: 30 ms}]}" '400 ms' 'checkpoint: {every: 100 ms, keep: 9}'
verdict train 'stimulus S1: 3 of 4 pulses from 0 to 270 ms captured; the pulse at 270 ms: captured nothing, refractory'
warned train 'pulse at 270 ms'
cp train.json whole.json
rm train/checkpoint-4000.h5 train/checkpoint-3000.h5 train/checkpoint-2000.h5
"$cardiac" run train.yaml --resume --threads 1 --json > train.json 2> /dev/null || fail "resume"
cut() { tail -n 1 "$1" | sed 's/"steps".*//; s/{"name": "sweeps"[^}]*}//; s/"since": 100, //'; } # of largest_v alone
[ "$(cut train.json)" = "$(cut whole.json)" ] || { cut train.json; cut whole.json; fail "the resumed run reports something else"; }
json train '"since": 100, '

# half of the sheet is refractory when S2 comes
sheet='sheet: {size: [20 mm, 5 mm], spacing: 0.25 mm}'
config part "$sheet" "$fast" "$good, {name: S2, box: {min: [8 mm, 0 mm, 0 mm], max: [14 mm, 2 mm, 0 mm]}, start: 100 ms, duration: 2 ms, current: 50 uA/uF}" '300 ms'
verdict part 'stimulus S2 at 100 ms: captured: 97'
logged part 'of the 43 nodes next to it, refractory ('
quiet part
json part '"end": "captured"'

# cells that carry no front: under the stimulus; and in the way of the front
passive='{where: X, model: passive, conductivity: 0.2 S/m}'
config under "$cable" "${passive/X/x < 3 mm}, $fast" "$good" '60 ms'
verdict under 'stimulus S1 at 0 ms: captured nothing, passive: none of its 5 nodes has cells that carry a front'
json under '"end": "nothing", "why": "passive"'
config scar "$cable" "${passive/X/x > 4 mm and x < 8 mm}, $fast" "$good" '150 ms'
verdict scar 'nodes were not activated; the front stopped at '
logged scar '(4, 0, 0 mm): passive, the remaining nodes are enclosed by passive tissue'
logged scar 'passive nodes are left out)'
logged scar 'activated by region: 0 passive passive, 1 mitchell-schaeffer 65.4 %' # 17 of 26
warned scar 'passive, the remaining nodes'
json scar '"cause": "passive"'

# Passive nodes are driven through the threshold here, but are not activated, and stop_when does not wait for them
config driven "$cable" "${passive/X/x > 9.6 mm}, $fast" "$good" '150 ms' 'activation: {threshold: -60 mV}' 'stop_when: activated'
verdict driven 'nodes are activated at '
logged driven 'activated: 39 of 39 nodes'
logged driven '(2 passive nodes are left out)'
"$cardiac" info driven/run.vtkhdf --json | grep -o '"name": "activation_time"[^}]*' > said
grep -q '"without_value": 2,' said || { cat said; fail "the map of passive nodes"; }

# too coarse across the fibres: the front runs along them alone
config coarse 'sheet: {size: [12 mm, 12 mm], spacing: 1 mm}' '{model: tp06-epi, conductivity: {longitudinal: 1 S/m, transverse: 0.01 S/m}}' \
    "{name: S1, box: {min: [0 mm, 4 mm, 0 mm], max: [2 mm, 6 mm, 0 mm]}, duration: 2 ms, current: 52 uA/uF}" '80 ms'
verdict coarse ': too coarse, edges there are 1.2 mm long; to stay within 5 %, use '
logged coarse 'captured: 33 nodes followed, '
unlogged coarse 'activated by region' # there is one
# 36 to 60 % of the edges are diagonal, if the mean is 1.15 to 1.25 mm; sqrt(D) of these is the root mean square of that along and across, which is a tenth
sed -n 's/.* long for a front across the fibres, .* everywhere, use \([0-9.]*\) mm.*/\1/p; s/.* long; to stay within 5 %, use \([0-9.]*\) mm$/\1/p' coarse/run.log |
    awk '{ use[NR] = $1 } END { along = 10 * use[1]; diagonal = sqrt((along ^ 2 + use[1] ^ 2) / 2); low = use[1] + 0.36 * (diagonal - use[1]); high = use[1] + 0.6 * (diagonal - use[1])
        exit !(NR == 2 && use[2] > 0.95 * low && use[2] < 1.05 * high) }' || { cat coarse/run.log; fail 'the edge that blocked fronts need'; }
json coarse '"cause": "too coarse"'

# tissue that conducts nothing is not too coarse; the most regions that are listed; no activation, no QRS
part='model: mitchell-schaeffer, conductivity: 0.2 S/m'
config apart "$cable" "{where: x < 1 mm, $part}, {where: x < 2 mm, $part}, {where: x < 3 mm, $part}, {where: x < 5 mm, $part}, {where: x < 7 mm, model: mitchell-schaeffer, conductivity: 0 S/m}, $fast" "$good" '60 ms'
verdict apart 'nodes were not activated'
logged apart 'activated by region: 0 mitchell-schaeffer 100 %, 1 mitchell-schaeffer 100 %, 2 mitchell-schaeffer 100 %, 3 mitchell-schaeffer 100 %, 4 mitchell-schaeffer 12.5 %, 5 mitchell-schaeffer 0 %'
! grep -q 'too coarse, edges there' apart/run.log || { cat apart/run.log; fail 'insulated tissue is too coarse'; }
config still "$cable" "$fast" "{name: S1, $left, duration: 1 ms, current: 1 uA/uF}" '60 ms' 'ecg: {electrodes: {RA: [-50 mm, 50 mm, 0 mm], LA: [60 mm, 50 mm, 0 mm], LL: [5 mm, -90 mm, 0 mm]}}'
verdict still 'activated: no node'
! grep -q 'QRS' still/run.log || { cat still/run.log; fail 'a QRS of nothing'; }

config early "$cable" "$fast" "$good" '10 ms'
verdict early 'the front was still running at the end' --set output.every=10ms --set 'output.fields=[V, h]'
json early '"running": true'
# ... and goes on in a run that begins with its state, and knows nothing of its cause
config on "$cable" "$fast" "{name: S2, $left, start: 30 ms, duration: 2 ms, current: 50 uA/uF}" '40 ms' 'initial: {file: early/run.vtkhdf}'
verdict on '1 activation by neither a stimulus nor a neighbour, the first at '
logged on "1 activation by neither a stimulus nor a neighbour, the first at $(sed -n 's/^activated: .* the first at \([0-9.]* ms\), .*/\1/p' on/run.log)"
json on '"unknown_causes": 1,'

# A front that takes 5.5 ms from node to node has not stopped where no node was activated in the last 5 ms.
config slow "$cable" '{model: mitchell-schaeffer, conductivity: 0.0025 S/m}' "$good" '76.5 ms'
verdict slow 'the front was still running at the end (last activation at 7'

# A beat that is blocked between two that are not: neither of them stopped, and nothing is left
slower='{model: mitchell-schaeffer, parameters: {tau_open: 40 ms, tau_close: 60 ms}, conductivity: 0.2 S/m}'
config between "${cable/10/20}" "{where: x < 15 mm, ${fast#\{}, $slower" "$good, {name: S2, $left, start: 100 ms, duration: 2 ms, current: 50 uA/uF}, {name: S3, $left, start: 500 ms, duration: 2 ms, current: 50 uA/uF}" '800 ms'
verdict between 'the wave of S2 at 100 ms was blocked at 14'
logged between 'refractory, nodes ahead had been repolarized for'
[ "$(grep -c 'was blocked\|front stopped\|not activated' between/run.log)" = 1 ] || { cat between/run.log; fail 'another wave is said to have stopped'; }
json between '"activated": 57, "time"'
unlogged between 'activated by region' # all of them
logged between 'velocity in region 0 (mitchell-schaeffer): 0.3'
logged between 'velocity in region 1 (mitchell-schaeffer): 0.4'
logged between 'APD90 in region 0 (mitchell-schaeffer): beat 1 57.'
logged between 'APD90 in region 1 (mitchell-schaeffer): beat 1 127.'

# What ends within 20 ms of a pulse, or during it, has captured nothing by then, with a warning
config brief "$cable" "$fast" "{name: S1, $left, duration: 1 ms, current: 5 uA/uF}" '10 ms'
verdict brief 'activated: no node'
warned brief 'captured nothing, too weak or too short: it raised none of its 5 nodes through the threshold in the 10 ms until the run ended'
verdict brief 'stimulus S1 at 0 ms: the run ended too early to tell' --set time.end=0.5ms --set output.every=0.5ms
json brief '"end": "run ended"'

# One ms decides: a wave of S2 stops beside its site, or goes through all nodes, with activations at -40 mV and no hole in them
config tail 'cable: {length: 20 mm, spacing: 0.2 mm}' '{model: tp06-epi, conductivity: 0.133 S/m}' \
    "{name: S1, where: x < 1.1 mm, duration: 2 ms, current: 52 uA/uF}, {name: S2, where: x < 1.1 mm, start: 313.5 ms, duration: 2 ms, current: 52 uA/uF}" '400 ms'
verdict tail 'stimulus S2 at 313.5 ms: captured: 95 nodes' --set time.step=0.05ms
! grep -q 'blocked\|a stimulus nor\|without a stimulus' tail/run.log || { cat tail/run.log; fail 'a hole in the wave of S2'; }
json tail '"start": 313.5, "repeat": 0, "late": false, "activations": 101'
verdict tail 'stimulus S2 at 309 ms: faded: 2 nodes followed' --set time.step=0.05ms --set stimuli[1].start=309ms

# Tissue that beats by itself, at 98 ms: a current of nothing has no part in it, and one that hastens the beat has not captured
config itself 'cable: {length: 10 mm, spacing: 0.5 mm}' '{model: stewart, conductivity: 0.2 S/m}' "{name: S1, where: x < 1 mm, start: 5 ms, duration: 2 ms, current: 1e-6 uA/uF}" '120 ms'
verdict itself 'stimulus S1 at 5 ms: captured nothing, too weak or too short'
logged itself 'the tissue was activated by itself, first at 98.3'
verdict itself 'the tissue was activated by itself, first at 69.5' --set 'stimuli[0].current=1 uA/uF'
verdict itself 'stimulus S1 at 5 ms: captured: 18 nodes followed, 2.0' --set 'stimuli[0].current=20 uA/uF'

# Two pulses on the same nodes: what the second one adds cannot be told from the wave
config both 'cable: {length: 20 mm, spacing: 0.25 mm}' '{model: tp06-epi, conductivity: 0.2 S/m}' \
    "{name: S1, where: x < 2 mm, start: 5 ms, duration: 2 ms, current: 50 uA/uF}, {name: S2, where: x < 2 mm, start: 5.3 ms, duration: 2 ms, current: 1 uA/uF}" '40 ms'
verdict both 'stimulus S2 at 5.3 ms: captured: 72 nodes followed, 1.23 to 27.'
grep -q 'ms after it; together with S1 at 5 ms' both/run.log || fail 'not together'
json both '"together": [{"stimulus": "S1", "start": 5}]'
verdict both 'stimulus S1 at 5 ms: captured: 2 nodes followed, 1.5' --set time.end=7ms --set output.every=1ms
grep -q '; still running at the end$' both/run.log || { cat both/run.log; fail 'not running'; }

# The thresholds of the regions' models, or the config's, are in the maps
config levels 'cable: {length: 4 mm, spacing: 0.25 mm}' "{where: x < 2 mm, model: tp06-epi, conductivity: 0.2 S/m}, $fast" "{name: S1, $left, duration: 2 ms, current: 52 uA/uF}" '40 ms'
levels() { "$cardiac" info levels/run.vtkhdf --json | grep -o '"name": "activation_time"[^}]*' | grep -qF "\"thresholds\": $1" || { "$cardiac" info levels/run.vtkhdf; fail "thresholds other than $1"; }; }
verdict levels 'activated: 17 of 17 nodes'
own() { "$cardiac" cell "$1" --json 2> /dev/null | head -1 | tr -d '"{},' | awk '{ for (k = 1; k < NF; k++) at[$k] = $(k + 1)
    x = (at["rest:"] + 0.4 * (at["peak:"] - at["rest:"])) / 5; print 5 * (x < int(x) ? int(x) - 1 : int(x)) }'; }
levels "[$(own tp06-epi), $(own mitchell-schaeffer)]"
"$cardiac" info levels/run.vtkhdf | grep -q '^ *activation_time .*, threshold -40 mV, ' || { "$cardiac" info levels/run.vtkhdf; fail 'no threshold'; }
verdict levels 'activated: 17 of 17 nodes' --set activation.threshold=-30mV
levels '[-30, -30]'

# A ring of 120 nodes, half of which recovers late: S2 leaves it on one side and comes back. By every activation of every node after S2, it
# comes to a node again first where and when it is said, and the median of its intervals is the cycle length.
awk 'BEGIN { n = 120; turn = 2 * 3.14159265358979; r = 500 * n / turn; print n > "ring.pts"; print n > "ring.elem"
    for (i = 0; i < n; i++) { printf "%.10g %.10g 0\n", r * cos(turn * i / n), r * sin(turn * i / n) > "ring.pts"
        print "Ln", i, (i + 1) % n, 1 > "ring.elem" } }'
half='{where: y > 0 mm, model: mitchell-schaeffer, parameters: {tau_open: 80 ms, tau_close: 60 ms}, conductivity: 0.1 S/m}'
config ring 'file: ring.elem' "$half, {model: mitchell-schaeffer, parameters: {tau_open: 80 ms, tau_close: 40 ms}, conductivity: 0.1 S/m}" \
    '{name: S1, where: "ball([9.549 mm, 0 mm, 0 mm], 1 mm)", start: 5 ms, duration: 2 ms, current: 50 uA/uF, count: 2, period: 400 ms}, {name: S2, where: "ball([9.549 mm, 0 mm, 0 mm], 1 mm)", start: 529 ms, duration: 2 ms, current: 50 uA/uF}' \
    '1500 ms' 'activation: {beats: 20}'
awk 'NR == 1 { printf "  probes: {" } NR > 1 { printf "%sn%d: [%.10g mm, %.10g mm, 0 mm]", (NR > 2 ? ", " : ""), NR - 2, $1 / 1000, $2 / 1000 } END { print "}" }' ring.pts > probes.txt
sed -i -e 's/, fibers: \[1, 0, 0\]//; s/^output: .*/output:\n  directory: ring\n  every: 50 ms/' ring.yaml && sed -i '/^  every/r probes.txt' ring.yaml
verdict ring 're-entry: the wave of S2 at 529 ms activated nodes again '
found=$(awk -F, 'NR > 1 && $3 > 529 { node = substr($1, 2); if (node in last) { print $3 - last[node], $3, node } last[node] = $3 }' ring/beats.csv |
    sort -g | awk 'function near(t) { return int(100 * t + 0.5) / 100 } { turn[NR] = $1; if (NR == 1 || $2 < first) { first = $2; node = $3 } } END { printf "again %d times, first node %d at %.7g ms, at intervals of %.7g ms", NR, node, near(first), near(turn[int((NR - 1) / 2) + 1]) }')
said=$(grep -o 'again .* ms; ' ring/run.log | sed 's/ ([^)]*)//; s/; $//')
[ "$said" = "$found" ] || { echo "$found"; cat ring/run.log; fail 're-entry elsewhere, or with another cycle length'; }
# At 0 mV, which nodes next to S2 do not reach, its wave appears 41 ms after the pulse, farther away: a late response to S2, of no other cause
verdict ring 'the wave of S2 at 532 ms' --set stimuli[1].start=532ms --set activation.threshold=0mV
late=$(awk -F, 'NR > 1 && $3 > 540 && (!first || $3 < first) { first = $3 } END { printf "stimulus S2 at 532 ms: captured, late: 115 nodes followed, %.6g to ", int(100 * (first - 532) + 0.5) / 100 }' ring/beats.csv)
grep -q "^$late" ring/run.log && ! grep -q 'a stimulus nor\|without a stimulus' ring/run.log || { echo "$late"; cat ring/run.log; fail 'the late response is not said'; }
case $late in *' '[234][0-9].*' to ') ;; *) fail "$late: not 20 to 45 ms" ;; esac

config alone "cable: {length: 3 mm, spacing: 0.25 mm}" '{model: stewart, conductivity: 0.02 S/m}' '' '150 ms'
verdict alone 'no stimulus: the tissue was activated by itself, or by its initial state'
quiet alone

config late "$cable" "$fast" "{name: S2, $left, start: 90 ms, duration: 2 ms, current: 50 uA/uF, protocol: [{count: 1, period: 9 ms}, {after: 30 ms}]}, $good" '80 ms'
verdict late 'stimulus S2 at 90 ms: was not applied: the run ended before'
json late '"end": "not applied"'

# A run that failed has its error alone: no verdict on what it left undone
config blown "$cable" "$fast" "{name: S1, $left, duration: 9 ms, current: 1500 uA/uF}" '60 ms' 'solver: {voltage_limit: 150 mV}' 'output: {every: 1 ms, directory: blown}'
sed -i '/every: 50 ms/d' blown.yaml
"$cardiac" run blown.yaml --threads 1 > blown.out 2> blown.err
[ $? = 3 ] && [ "$(grep -c '^cardiac: ' blown.err)" = 1 ] && ! grep -qE '^(cardiac: )?(warning: )?(stimulus S1 at|activated|[0-9]* of [0-9]* nodes)' blown/run.log ||
    { cat blown.err blown/run.log; fail 'a verdict on a run that failed'; }

config strong "$cable" '{model: tp06-epi, conductivity: 0.2 S/m}' "{name: S1, $left, duration: 2 ms, current: 200 uA/uF}" '30 ms' 
verdict strong 'largest V in frames, rows of probes and recorded beats: ' --set output.every=1ms --set time.end=1ms --set checkpoint.every=1ms
expect 0 "largest V in recorded beats and, since 1 ms, in frames and rows of probes: " "$cardiac" run strong.yaml --resume --set output.every=1ms

# Of a run that fails, what did not follow has no cause of its own: a value that is hardly meant may be the cause
config wrong "$cable" '{model: tp06-epi, parameters: {g_Na: 14838}, conductivity: 0.2 S/m}' "$good" '30 ms'
expect 3 "no checkpoint was written; possible cause: tissue.regions[0].parameters: g_Na is" "$cardiac" run wrong.yaml --device cpu --overwrite --output wrong
grep -q "g_Na is 1e+03 times the default" said && ! grep -q "captured nothing\|set a later\|too coarse, edges there" said || { cat said; fail 'causes of what a failed run left'; }
config limit "$cable" '{model: tp06-epi, conductivity: 0.2 S/m}' "$good" '30 ms'
expect 3 "beyond solver.voltage_limit, 20 mV, which action potentials pass: V = -8" "$cardiac" run limit.yaml --device cpu --overwrite --output limit --set 'solver.voltage_limit=20 mV'
expect 0 "(activation.threshold, 80 mV)" "$cardiac" run limit.yaml --device cpu --overwrite --output limit --set 'activation.threshold=80 mV' --set 'stimuli[0].current=20 uA/uF'
expect 0 "output.maps: no node has an APD90: none repolarized before the run ended" "$cardiac" run limit.yaml --device cpu --overwrite --output limit --set 'output.maps=[apd90]'

config up "$cable" '{model: mitchell-schaeffer, conductivity: 0.2 S/m, initial: {V: 10 mV}}' "$good" '60 ms'
verdict up 'tissue.regions[0].initial: the cells begin depolarised (V 10.0 mV, rest -80.0 mV); fronts are not measured: initial V is above the threshold'
! grep -q 'passive' up/run.log || fail 'cells that begin depolarised are passive'

[ ! $sanitized ] || exit 0 # the longest runs, by the code above
config feeble "$cable" '{model: tp06-epi, parameters: {g_Na: 0.1}, conductivity: 0.2 S/m}' "{name: S1, $left, duration: 1 ms, current: 20 uA/uF}" '30 ms'
expect 0 "possible cause: tissue.regions[0].parameters: g_Na is" "$cardiac" run feeble.yaml --device cpu --overwrite --output feeble
# Unhealthy beats: cells that stay depolarised, with early afterdepolarisations, are none the less the model's, not passive.
slow='{model: ohara-endo, parameters: {ikr.g_Kr: x0.05}, conductivity: 0.2 S/m}'
config ead 'cable: {length: 2 mm, spacing: 0.5 mm}' "$slow" "$good" '1500 ms' 
verdict ead 'early afterdepolarisations in region 0 (ohara-endo): at 5 of 5 nodes, up to ' --set time.step=0.05ms --set output.maps=[apd90]
grep -q 'warning: region 0 (ohara-endo) had not repolarised: 5 of 5 nodes, up to 149[0-9.]* ms after their last activation' ead.err || { cat ead.err; fail 'not repolarised'; }
tail -n 1 ead.json | grep -q '"followed": 5, "ead_nodes": 5, "eads": [1-9], "not_repolarised": 5' || { tail -n 1 ead.json; fail 'EADs in JSON'; }
verdict ead 'activated: 5 of 5 nodes' --set time.step=0.05ms --set output.maps=[apd90] --set time.end=900ms
! grep -q 'had not repolarised' ead.err || fail 'a run that ends early says that cells have not repolarised'
