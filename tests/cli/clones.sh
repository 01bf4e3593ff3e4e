#!/bin/bash
# clones.sh PROGRAM: on each instruction set that this machine can run, not only on its own choice, the bench is right, a run has
# the bits of the first one, and its page is written.
. "$(dirname "$0")/../support/run_helpers.sh"
cat > a.yaml <<'YAML'
version: 1
mesh: {slab: {size: [2 mm, 1 mm, 1 mm], spacing: 0.25 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions: [{model: tp06-epi, conductivity: 0.2 S/m}]
stimuli: [{where: x < 0.5 mm, duration: 2 ms, current: 50 uA/uF}]
time: {end: 4 ms, step: 0.05 ms}
output: {every: 4 ms}
YAML
clones=$("$cardiac" info | sed -n 's/^ *kernels *//p' | tr ' ' '\n' | grep ^cpu)
python=$(command -v python3) && "$python" -c "import numpy, h5py, matplotlib" 2> /dev/null || { python=; echo "pages of each instruction set, no matplotlib: skipped"; }
first=
for clone in $clones; do
    [ -n "$sanitized" ] || expect 0 "variants are right" "$cardiac" bench spmv jacobi gemm step --quick --device "$clone" --threads 1
    expect 0 "device $clone" "$cardiac" run a.yaml --device "$clone" --threads 1 --output "$clone"
    first=${first:-$clone}
    [ "$clone" = "$first" ] || same "$first/run.vtkhdf" "$clone/run.vtkhdf"
    [ -z "$python" ] || expect 0 report.html "$cardiac" report "$clone"
done
case " $(echo $clones) " in *" cpu-plain "*) ;; *) fail "no cpu-plain among '$clones'" ;; esac
echo "instruction sets:" $clones
