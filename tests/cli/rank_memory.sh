#!/bin/bash
# rank_memory.sh CARDIAC START COMM: what ranks of a run take beyond those of a small run: each of four no more than 1.2 times a fourth of what one
# takes, the first 2.5 times, since it keeps the elements of meshes below four million for velocities;
# and what `check --ranks` says covers them and is less than two and a half times that of the largest.
command -v python3 >/dev/null || { echo "no python3 here: skipped"; exit 77; }
. "$(dirname "$0")/../support/run_helpers.sh"
local_ranks "$2" "$3"
export OMP_NUM_THREADS=1
cat > a.yaml <<'EOC'
version: 1
mesh: {slab: {size: [20 mm, 4 mm, 2 mm], spacing: 0.1 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions: [{model: tp06-epi, conductivity: 0.1 S/m}]
stimuli: [{box: {min: [0, 0, 0], max: [1 mm, 1 mm, 1 mm]}, duration: 1 ms, current: 50 uA/uF}]
time: {end: 0.08 ms, step: 0.02 ms}
device: cpu
output: {directory: a, every: 0.04 ms, maps: [activation_time]}
checkpoint: {every: 0.04 ms}
EOC
# peaks RANKS ARGUMENT...: the most resident memory of each, kB
peaks() {
    rm -f peak.*
    if [ "$1" = 1 ]; then run=(env OMPI_COMM_WORLD_RANK=0); else run=(here "$1"); fi
    "${run[@]}" python3 -c '
import os, resource, subprocess, sys
status = subprocess.call(sys.argv[1:], close_fds=False) # those that join the ranks
with open("peak." + os.environ["OMPI_COMM_WORLD_RANK"], "w") as file:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=file)
sys.exit(status)' "$local" run a.yaml --overwrite --quiet "${@:2}" > said 2>&1 || { cat said >&2; return 1; }
    cat peak.*
}
small() { peaks "$1" --set mesh.slab.spacing=1mm; }
none=$(small 1) && one=$(peaks 1) && few=$(small 4) && four=$(peaks 4) || fail "a run"
forecast=$("$cardiac" check a.yaml --ranks 4 --set time.step=0.04ms 2>/dev/null | sed -n 's/^memory: at most about \([0-9.]*\) MB.* but the first \([0-9.]*\) MB$/\1 \2/p')
echo "$one $none $few $four" | tr '\n' ' ' | awk -v forecast="$forecast" '{
    share = ($1 - $2) / 4e3
    split(forecast, said)
    for (k = 3; k <= 6; k++) { took[k] = ($(k + 4) - $k) / 1e3; if (k > 3 && took[k] > other) other = took[k] }
    printf "%.1f MB and %.1f, %.2f and %.2f times a fourth of one rank, %s MB forecast\n", took[3], other, took[3] / share, other / share, forecast
    exit !(share > 20 && took[3] <= 2.5 * share && other <= 1.2 * share && said[1] >= took[3] && said[1] < 2.5 * took[3] && said[2] >= other && said[2] < 2.5 * other) }' || fail "$one $none, four $four $few"
