#!/bin/bash
# coarse_meshes.sh CARDIAC: the warnings for a mesh too coarse for a front before a run, by check and by the run itself however short
# it is, what a run leaves unactivated at its end, and a search for conductivities that ends.
cardiac=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
full() { [ "${CARDIAC_TESTS:-}" = full ]; } # as in tests/support/run_helpers.sh

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
# in the corner of a sheet without fibres, whose axis is a diagonal there, the end of the sheet hastens no front that is measured
sed -e 's/cable: {length: 20 mm, spacing: 1 mm}/sheet: {size: [20 mm, 20 mm], spacing: 0.2 mm}/; s/tp06-epi, conductivity: 0.0176 S/mitchell-schaeffer, velocity: 0.5 m/; s|m/m}|m/s}|' \
    -e 's/end: 12 ms, step: 0.02/end: 50 ms, step: 0.05/; /^output/s/, probes.*/}/' a.yaml >sheet.yaml
expect 0 "asked for 0.5)" run sheet.yaml --output sheet
sed -n 's/^velocity: \([0-9.]*\) m.*/\1/p' said | awk '{ exit !($1 > 0.495 && $1 < 0.505) }' || { echo "not 0.5 m/s"; cat said; failed=1; }
# nor do the walls of a small slab
if full; then
    expect 0 "asked for 0.6)" run sheet.yaml --output box --set 'mesh={slab: {size: [12 mm, 5 mm, 5 mm], spacing: 0.5 mm}}' \
        --set 'tissue.regions[0].velocity=0.6 m/s' --set 'stimuli[0].where=x < 0.6 mm'
    sed -n 's/^velocity: \([0-9.]*\) m.*/\1/p' said | awk '{ exit !($1 > 0.592 && $1 < 0.608) }' || { echo "not 0.6 m/s"; cat said; failed=1; }
fi
# a front wider than the mesh, and blocks that contradict one another, give no conductivity; a velocity that the run misses is a warning
expect 2 "is measured over 373 mm, but the mesh is 13.4 mm across" run sheet.yaml --dry-run --set 'mesh.sheet={size: [12 mm, 6 mm], spacing: 1 mm}' \
    --set 'tissue.regions[0]={model: fitzhugh-nagumo, velocity: 0.6 m/s}'
expect 2 "in more than 1e+08 steps of nodes, but the mesh is 44.7 mm across" run sheet.yaml --dry-run --set 'mesh.sheet={size: [40 mm, 20 mm], spacing: 1 mm}' \
    --set 'tissue.regions[0]={model: fitzhugh-nagumo, velocity: 0.6 m/s}'
expect 0 "m/s; not measured on this mesh (over 352 mm, in more than 1e+08 steps of nodes)" check sheet.yaml --set 'mesh.sheet={size: [40 mm, 20 mm], spacing: 1 mm}' \
    --set 'tissue.regions[0]={model: fitzhugh-nagumo, conductivity: 10 S/m}'
expect 2 "in 8 blocks of it" run a.yaml --dry-run --set time.step=0.1 --set output.every=12 --set 'output.probes={}' --set tissue.fibers=[1,2,0] \
    --set 'mesh={ellipsoid: {size: [5 mm, 10 mm, 3 mm], edge: 1.2 mm}}' \
    --set 'tissue.regions[0]={model: mitchell-schaeffer, velocity: {longitudinal: 0.6 m/s, transverse: 0.3 m/s}}' --set 'stimuli[0].where=z < 0 mm'
expect 0 "warning: velocity: 0.4" run a.yaml --output fine --set mesh.cable.spacing=0.4mm --set time.end=40 --set time.step=0.05 \
    --set 'tissue.regions[0]={model: tp06-epi, velocity: {longitudinal: 0.6 m/s, transverse: 0.6 m/s, on: fine}}' --set tissue.fibers=[1,0,0]
# parameters given at nodes, and fibres that turn (in full), are not those of the blocks that the velocity was found in
sed -e 's/conductivity: 0.0176 S.m/velocity: 0.5 m\/s, parameters: {g_Na: {factor: 0.6 + 0.0001 * (x \/ 1 mm)}}/; s/spacing: 1 mm/spacing: 0.2 mm/; s/end: 12 ms/end: 70 ms/' a.yaml >nodes.yaml
expect 0 "asked for 0.5 in cells with uniform parameters)" run nodes.yaml --output nodes
grep -q "warning: velocity: 0.4[0-9]* m/s" said && grep -q "those given at nodes may change the velocity" said || { echo "no word of the nodes"; cat said; failed=1; }
if full; then
    sed -e 's/cable: {length: 20 mm, spacing: 1 mm}/slab: {size: [4 mm, 8 mm, 8 mm], spacing: 0.4 mm}/; s/conductivity: 0.0176 S.m/velocity: {longitudinal: 0.6 m\/s, transverse: 0.3 m\/s}/; s/end: 12 ms, step: 0.02/end: 10 ms, step: 0.05/; s/tp06-epi/mitchell-schaeffer/' \
        -e 's/tissue: {/tissue: {fibers: {across: x, from: 60 deg, to: -60 deg}, /; /^output/s/, probes.*/}/' a.yaml >turning.yaml
    expect 0 "asked for 0.3 with parallel fibres)" run turning.yaml --output turning
    grep -q "for parallel fibres: where they turn, fronts across them are faster" said || { echo "no word of turning fibres"; cat said; failed=1; }
fi

too_coarse="warning: tissue.regions[0]: too coarse: a front in every direction"
long_edges="mm are long for a front in every direction, which is 0.11 mm wide: to stay within 5 % of its velocity, use 0.0"
for edge in $(full && echo 0.4 2) 1 5; do
    expect 0 "$too_coarse" check a.yaml --set mesh.cable.spacing=${edge}mm
    expect 0 "edges of $edge $long_edges" run --dry-run a.yaml --set mesh.cable.spacing=${edge}mm
done
expect 0 "$too_coarse blocks on this mesh: it is 0.11 mm wide and edges are 5 mm there; to stay within 5 %, use 0.0" check a.yaml \
    --set mesh.cable.spacing=5mm
# both by fronts in the steps that auto will take, before a matrix says which: stages
for command in "run --dry-run" check "check --set solver.method=rkl2"; do
    # shellcheck disable=SC2086
    expect 0 ", use 0.065 mm" $command a.yaml --set mesh.cable.spacing=5mm --set time.step=0.1ms
done
# 0.199 mm would do: in two digits that is not shorter than today's edges
expect 0 "edges of 0.2 mm are long for a front in every direction, which is 0.45 mm wide: to stay within 5 % of its velocity, use 0.19 mm" \
    run --dry-run a.yaml --set mesh.cable.spacing=0.2mm --set 'tissue.regions[0].conductivity=0.28 S/m'
for command in check "run --dry-run"; do
    # shellcheck disable=SC2086
    expect 0 '!warning: tissue' $command a.yaml --set mesh.cable.spacing=0.04mm
done

# A run measures no front of its mesh, check does. What tune finds is what check and run use, and check measures the velocity that was asked for.
export XDG_CACHE_HOME=$work/one
mkdir "$XDG_CACHE_HOME"
cat >slab.yaml <<'EOF'
version: 1
mesh: {slab: {size: [6 mm, 6 mm, 6 mm], spacing: 0.5 mm}}
tissue: {surface_to_volume: 1400 /cm, fibers: [1, 0, 0], regions: [{model: tp06-epi, conductivity: {longitudinal: 0.2 S/m, transverse: 0.1 S/m}}]}
stimuli: [{where: x < 1 mm, duration: 1 ms, current: 50 uA/uF}]
time: {end: 12 ms, step: 0.05 ms}
output: {directory: out, every: 12 ms}
EOF
expect 0 "activation maps: solver.mass_lumping: 0.333 loses less" check slab.yaml
expect 0 "!activation maps" check slab.yaml --set solver.mass_lumping=0.333
# the same front on edges a fifth as long, in a tissue whose diffusion is a twenty-fifth
if full; then
    expect 0 "activation maps: solver.mass_lumping: 0.5 loses less" check slab.yaml --set "mesh.slab.size=[1.2 mm, 1.2 mm, 1.2 mm]" --set mesh.slab.spacing=0.1mm \
        --set "stimuli[0].where=x < 0.2 mm" --set "tissue.regions[0].conductivity={longitudinal: 0.008 S/m, transverse: 0.004 S/m}"
fi
expect 0 "front across the fibres runs" check slab.yaml --verbose
sed -n 's/^front in region 0 a[a-z]* the fibres: .* on this mesh (-\([0-9.]*\) %.*/runs \1 % slower/p' said >measured
[ "$(wc -l <measured)" -eq 2 ] && [ "$(grep -c "^tissue.* $(sed -n 1p measured)\|^tissue.* $(sed -n 2p measured)" said)" -eq 2 ] || { cat measured said; failed=1; }
# one warning for all directions and regions, with the edge that the slowest of them needs; one region warns of itself alone
expect 0 "edges of 0.63 mm are long for a front across the fibres" run slab.yaml --dry-run
grep -q "the worst of 2 such fronts in 1 region; to stay within 5 % everywhere, use [0-9.]* mm; cardiac check --verbose prints each" said || { cat said; failed=1; }
three='tissue.regions=[{where: x < 2 mm, model: tp06-epi, conductivity: 0.13 S/m}, {where: x < 4 mm, model: tp06-epi, conductivity: 0.03 S/m}, {model: tp06-epi, conductivity: 0.08 S/m}]'
for command in $(full && echo check) "run --dry-run"; do
    # shellcheck disable=SC2086
    expect 0 "the worst of 3 such fronts in 3 regions; to stay within 5 % everywhere, use 0.0" $command slab.yaml --set "$three"
    [ "$(grep -c "^activation maps: " said)" -le 1 ] || { echo "advice of one mesh for each region"; cat said; failed=1; }
    [ "$(grep -c "a front in every direction" said)" = 1 ] && grep -q "warning: tissue.regions\[1\]: .*a front in every direction" said || { cat said; failed=1; }
done
expect 0 "a front in every direction, which is" run slab.yaml --dry-run --set 'tissue.regions[0].conductivity=0.1 S/m'
grep -q "cardiac check measures it on this mesh" said && ! grep -q "such fronts" said || { cat said; failed=1; }
grep -q slower said && { echo "a figure without a measurement"; cat said; failed=1; }
if full; then model=tp06-epi; else model=mitchell-schaeffer; fi
goal="tissue.regions[0]={model: $model, velocity: {longitudinal: 0.5 m/s, transverse: 0.4 m/s}}"
# On a terminal the search, which takes a while here, says what it has measured
if ! full; then
    : # test_watch.c has what is said, and when
elif script -qec true said >terminal 2>&1; then # a pseudo-terminal
    OMP_NUM_THREADS=1 script -qec "'$cardiac' tune slab.yaml --set '$goal'" said >terminal
    grep -q "measuring fronts: region 0 a[a-z]* the fibres, 0\.[0-9]* m/s" terminal || { echo "no progress"; cat terminal; failed=1; }
else
    echo "progress on a terminal: skipped, script makes none here"
fi
for command in tune check "run --dry-run"; do
    # shellcheck disable=SC2086
    expect 0 "velocity on this mesh, used: conductivity" $command slab.yaml --set "$goal"
    grep "velocity on .* mesh" said >"used_by_${command%% *}"
    [ "$command" != check ] || sed -n 's/^front in region 0 a[a-z]* the fibres: [0-9.]* m\/s, \([0-9.]*\) m\/s on this mesh.*/\1/p' said >measured
done
cmp used_by_tune used_by_check && cmp used_by_tune used_by_run || failed=1
awk '{ want = NR == 1 ? 0.5 : 0.4; good += $1 > 0.994 * want && $1 < 1.006 * want } END { exit good != 2 }' measured || { cat measured; failed=1; }
# All three directions of a sheet's axes
if full; then
    expect 0 "front in region 0 across the sheets" check slab.yaml --set 'mesh.slab={size: [4 mm, 4 mm, 4 mm], spacing: 0.5 mm}' --set time.step=0.1ms \
        --set 'tissue.fibers={across: z, from: 0 deg, to: 0 deg}' --set 'tissue.regions[0]={model: mitchell-schaeffer, velocity: {longitudinal: 0.6 m/s, transverse: 0.4 m/s, normal: 0.3 m/s}}'
    sed -n 's/^front in region 0 a.*: [0-9.]* m\/s, \([0-9.]*\) m\/s on this mesh.*/\1/p' said |
        awk '{ want = 0.6 - (NR > 1) * 0.2 - (NR > 2) * 0.1; good += $1 > 0.994 * want && $1 < 1.006 * want } END { exit good != 3 }' || { cat said; failed=1; }
fi
unset XDG_CACHE_HOME

# Three of the nodes are stimulated, and the front comes no further
expect 0 "18 of 21 nodes were not activated; probes that never were: far; the front stopped at " run a.yaml --quiet
# It runs as long as the run does
expect 0 "probes that never were: far; the front was still running at the end" run a.yaml --quiet --overwrite \
    --set mesh.cable.spacing=0.2mm --set 'tissue.regions[0].conductivity=0.13 S/m'
expect 0 '!not activated' run a.yaml --quiet --overwrite --set mesh.cable.length=4mm --set 'output.probes={}' --set mesh.cable.spacing=0.1mm \
    --set 'tissue.regions[0].conductivity=0.13 S/m'
# Cells without a front are not expected to have one
expect 0 '!not activated' run a.yaml --quiet --overwrite --set mesh.cable.spacing=0.1mm --set mesh.cable.length=4mm --set 'output.probes={}' \
    --set 'tissue.regions=[{where: x > 3 mm, model: passive, conductivity: 0.01 S/m}, {model: tp06-epi, conductivity: 0.13 S/m}]'

# Elements that lie skew to the fibres: a number, or that it blocks
expect 0 "front in region 0 across the fibres: 0." check a.yaml --set tissue.fibers=[3,0,4] \
    --set 'mesh={slab: {size: [3 mm, 2 mm, 1 mm], spacing: 0.5 mm}}' --set 'output.probes={}' \
    --set 'tissue.regions[0].conductivity={longitudinal: 0.13 S/m, transverse: 0.01 S/m}'
grep -q "not known" said && { cat said && failed=1; }

expect 0 "is the velocity where \`scale\` is 1" run --dry-run a.yaml --set 'tissue.regions[0]={model: mitchell-schaeffer, velocity: 0.5 m/s, scale: 0.5 + x / 40 mm}'
luo_rudy='tissue.regions[0]={model: luo-rudy-1991, velocity: 0.1 m/s}'
expect 2 "this mesh cannot carry a front of 0.1 m/s: on its edges of 2 mm" tune a.yaml --set "$luo_rudy" --set mesh.cable.spacing=2mm --set time.step=0.05
expect 2 "mm could" run a.yaml --overwrite --set "$luo_rudy" --set mesh.cable.spacing=2mm --set time.step=0.05
expect 0 "times the tissue's conductivity" run --dry-run a.yaml --set "$luo_rudy" --set mesh.cable.spacing=0.4mm
if full; then
    expect 0 "velocity on this mesh, used: conductivity: 0." tune a.yaml --set "$luo_rudy" --set mesh.cable.spacing=0.4mm
    both='tissue.regions[0]={model: luo-rudy-1991, velocity: {longitudinal: 0.1 m/s, transverse: 0.1 m/s, on: fine}}'
    expect 0 "velocity on a fine mesh, used: conductivity: {longitudinal: 0." tune a.yaml --set "$both" --set mesh.cable.spacing=0.4mm --set tissue.fibers=[1,0,0]
    expect 0 "velocity on this mesh: no conductivity gives it" tune a.yaml --set "$both" --set mesh.cable.spacing=2mm --set time.step=0.05 --set tissue.fibers=[1,0,0]
fi

# Fibres askew to a cable or a thin sheet: speeds are those along the fibres all the same. Where no path is long enough, an error.
askew() { # askew FIBRE MESH: of the front along the fibres, what the mesh loses, %
    expect 0 "front in region 0 along the fibres" check a.yaml --set "tissue.regions[0]={model: tp06-epi, conductivity: {longitudinal: 0.2 S/m, transverse: 0.05 S/m}}" \
        --set time.step=0.05 --set output.every=12 --set "tissue.fibers=$1" --set "mesh={$2}" --set 'output.probes={}'
    sed -n 's/^front in region 0 along the fibres: .* on this mesh (-\([0-9.]*\) %.*/\1/p' said
}
straight=$(askew '[1, 0, 0]' 'cable: {length: 10 mm, spacing: 0.05 mm}') tilted=$(askew '[1, 0.8, 0]' 'cable: {length: 10 mm, spacing: 0.05 mm}')
awk "BEGIN { exit !(\"$straight\" > 0 && \"$tilted\" > 0 && $tilted < 2 && $straight < 1) }" || { echo "lost along the fibres: $straight and $tilted %" && failed=1; }
expect 2 "no straight path in this direction is long enough; use \`on: fine\`" run --dry-run a.yaml --set tissue.fibers=[1,0,2] --set time.step=0.05 --set output.every=12 \
    --set 'mesh={slab: {size: [8 mm, 4 mm, 0.5 mm], spacing: 0.5 mm}}' --set 'output.probes={}' \
    --set 'tissue.regions[0]={model: mitchell-schaeffer, velocity: {longitudinal: 0.3 m/s, transverse: 0.2 m/s}}'

# A mesh file that is smaller than a front has the wrong unit
printf '4\n0 0 0\n20 0 0\n0 20 0\n0 0 20\n' >tiny.pts
printf '1\nTt 0 1 2 3 1\n' >tiny.elem
tiny=(--set 'mesh={file: tiny.elem}' --set 'output.probes={}' --set 'stimuli=[]' --set 'tissue.regions[0].conductivity=0.2 S/m')
expect 0 "the mesh is 0.0346 mm across, less than an upstroke, which is 0.3" check a.yaml "${tiny[@]}"
grep -q 'is it in mm? then write `scale: 1 mm`' said || { cat said && failed=1; }
expect 0 '!upstroke' check a.yaml "${tiny[@]}" --set 'mesh.scale=1 mm'

# Edges of metres pass no front, which is known without steps
timeout 60 "$cardiac" check a.yaml --set 'mesh={cable: {length: 40 m, spacing: 2 m}}' --set 'output.probes={}' --set 'stimuli[0].where=x < 5 m' >said 2>&1 &&
    grep -q "on this mesh it blocks" said || { echo "a mesh of metres" && cat said && failed=1; }

# The same bits by any number of threads, and from the cache
if full; then mesh='ellipsoid: {size: [5 mm, 10 mm, 3 mm], edge: 1.2 mm}' along=[0,0,1]; else mesh='sheet: {size: [12 mm, 6 mm], spacing: 0.5 mm}' along=[1,0,0]; fi
small='tissue.regions[0]={model: mitchell-schaeffer, velocity: {longitudinal: 0.6 m/s, transverse: 0.3 m/s}}'
for threads in 1 3 3; do
    mkdir -p "cache$threads"
    XDG_CACHE_HOME=$work/cache$threads OMP_NUM_THREADS=$threads "$cardiac" check a.yaml --json --set "$small" --set time.step=0.1 --set output.every=12 \
        --set "tissue.fibers=$along" --set "mesh={$mesh}" --set 'output.probes={}' \
        --set 'stimuli=[{where: x < 1 mm, duration: 2 ms, current: 50 uA/uF}]' 2>said | grep -o '"conductivity[^]]*]' >"bits$threads"
    grep -q conductivity_on_mesh "bits$threads" || { cat said && failed=1; }
done
cmp bits1 bits3 || failed=1

# Nor does an isotropic tissue, asked for before, whose fronts are measured elsewhere
conductivity() { # conductivity CACHE VELOCITY
    XDG_CACHE_HOME=$work/$1 "$cardiac" check a.yaml --json --set "tissue.regions[0]={model: mitchell-schaeffer, velocity: $2}" --set time.step=0.1 --set output.every=12 \
        --set tissue.fibers=[1,0,0] --set 'mesh={sheet: {size: [12 mm, 12 mm], spacing: 0.5 mm}}' --set 'output.probes={}' 2>said | grep -o '"conductivity_on_mesh[^]]*]'
}
mkdir fresh other
both='{longitudinal: 0.5 m/s, transverse: 0.5 m/s}'
conductivity fresh '0.5 m/s' > isotropic && conductivity fresh "$both" > after && conductivity other "$both" > alone && cmp after alone || failed=1

# Edges that are long across the fibres alone are told by a run that does not measure
awk 'BEGIN {
    print "# vtk DataFile Version 3.0\nsheet\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS", 61 * 21, "double"
    for (j = 0; j < 21; j++) for (i = 0; i < 61; i++) print 0.1 * i, 0.6 * j, 0
    print "CELLS 2400 9600"
    for (j = 0; j < 20; j++) for (i = 0; i < 60; i++) { a = 61 * j + i; print 3, a, a + 1, a + 62; print 3, a, a + 62, a + 61 }
    print "CELL_TYPES 2400"; for (k = 0; k < 2400; k++) print 5 }' > long.vtk
mkdir third
export XDG_CACHE_HOME=$work/third
expect 0 "a front across the fibres" run a.yaml --set 'mesh={file: long.vtk, scale: 1 mm}' --set tissue.fibers=[1,0,0] --set 'output.probes={}' --set time.end=0.1 --set output.every=0.1 \
    --set 'tissue.regions[0]={model: tp06-epi, conductivity: {longitudinal: 1.7 S/m, transverse: 1.6 S/m}}' --set 'stimuli[0].where=x < 2.5 mm' --output long
exit $failed
