#!/bin/bash
# threads.sh CARDIAC: no stage of a command starts more threads than --threads, or the key threads, allows: fibres by rule, regions, maps,
# leads and the writer's thread, a resumed run, and other commands. GNU OpenMP prints each team that it starts.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
OMP_NUM_THREADS=4 OMP_DISPLAY_AFFINITY=TRUE OMP_AFFINITY_FORMAT='team of %N' "$cardiac" check "$source/configs/heart.yaml" 2>&1 | grep -q "^team of" ||
    { echo "OpenMP of this build prints no teams: skipped"; exit 77; }

cat > a.yaml <<EOT
version: 1
device: cpu
mesh: {file: $source/meshes/heart.msh.gz, scale: 1 mm, surfaces: {base: 1, epi: 2, lv: 3, rv: 4}}
tissue:
  surface_to_volume: 1400 /cm
  fibers: {rule: ldrb, fiber: [60 deg, -60 deg], sheet: [-65 deg, 25 deg]}
  regions:
    - {where: x < 0 mm, model: mitchell-schaeffer, conductivity: 0.5 S/m, scale: 1 - z / 500 mm}
    - {tags: all, model: mitchell-schaeffer, conductivity: 0.6 S/m, parameters: {tau_open: {factor: 1 + z / 1000 mm}}}
stimuli: [{sphere: {centre: [0 mm, 0 mm, -18 mm], radius: 3 mm}, duration: 2 ms, current: 52 uA/uF}]
time: {end: 2 ms, step: 0.05 ms}
output: {directory: a, every: 0.5 ms, maps: [activation_time, conduction_velocity], probes: {apex: [0 mm, 0 mm, -18 mm]}}
ecg: {every: 0.5 ms, electrodes: {left: [-50 mm, 0 mm, 90 mm]}}
checkpoint: {every: 1 ms}
EOT

# within MOST COMMAND...: the largest team that it starts
within() {
    local most=$1; shift
    OMP_NUM_THREADS=4 OMP_DISPLAY_AFFINITY=TRUE OMP_AFFINITY_FORMAT='team of %N' "$@" > said 2>&1 || { cat said; fail "$*"; }
    awk -v most="$most" '/^team of/ && $3 > most { exit 1 }' said || { sort said | uniq -c | grep "team of"; fail "a team of more than $most: $*"; }
}
within 1 "$cardiac" run a.yaml --threads 1
within 1 "$cardiac" run a.yaml --threads 1 --resume --set time.end=3ms
within 2 "$cardiac" run a.yaml --set threads=2 --output b
within 1 "$cardiac" check a.yaml --set threads=1
within 1 "$cardiac" run a.yaml --threads 1 --output c --set initial.file=a/checkpoint-40.h5
cat > cable.yaml <<'EOT'
version: 1
device: cpu
mesh: {cable: {length: 5 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{where: x < 2 mm, model: mitchell-schaeffer, conductivity: 0.133 S/m}, {model: mitchell-schaeffer, conductivity: 0.1 S/m}]}
stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA/uF}]
time: {end: 1 ms, step: 0.05 ms}
output: {directory: d, every: 1 ms, probes: {end: [5 mm, 0 mm, 0 mm]}}
EOT
within 1 "$cardiac" restitution cable.yaml --threads 1 --s2 400:390:10ms
within 1 "$cardiac" verify heart --quick --threads 1 --device cpu
