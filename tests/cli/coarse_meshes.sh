#!/bin/bash
# coarse_meshes.sh CARDIAC: a search for conductivities ends, with progress, warnings and errors, on meshes too coarse for a front.
cardiac=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

cat >a.yaml <<'EOF'
version: 1
mesh: {cable: {length: 20 mm, spacing: 1 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{model: tp06-epi, conductivity: 0.0176 S/m}]}
stimuli: [{where: x < 2.5 mm, duration: 2 ms, current: 50 uA/uF}]
time: {end: 12 ms, step: 0.02 ms}
output: {directory: out, every: 100 ms, probes: {near: [1 mm, 0, 0], far: [20 mm, 0, 0]}}
EOF

# expect STATUS TEXT COMMAND...: `!TEXT` must not be printed
expect() {
    local want=$1 text=$2 got
    shift 2
    "$cardiac" "$@" >said 2>&1
    got=$?
    if [ $got -ne "$want" ] || { [ "${text:0:1}" = '!' ] && grep -qF -- "${text:1}" said; } ||
        { [ "${text:0:1}" != '!' ] && ! grep -qF -- "$text" said; }; then
        echo "cardiac $*: status $got instead of $want, or not as expected: '$text'"
        cat said
        failed=1
    fi
}
luo_rudy='tissue.regions[0]={model: luo-rudy-1991, velocity: 0.1 m/s}'
expect 3 "region 0 longitudinal: no diffusion gives 0.1 m/s on edges of 2 mm" tune a.yaml --set "$luo_rudy" --set mesh.cable.spacing=2mm
expect 3 "region 0 longitudinal: 0.1 m/s on edges of 2 mm" tune a.yaml --set "$luo_rudy" --set mesh.cable.spacing=2mm
expect 0 "times the tissue's conductivity" tune a.yaml --set "$luo_rudy" --set mesh.cable.spacing=0.4mm
expect 0 '!warning' tune a.yaml --set "$luo_rudy" --set mesh.cable.spacing=0.02mm
exit $failed
