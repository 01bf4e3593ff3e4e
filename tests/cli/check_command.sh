#!/bin/sh
# check_command.sh CARDIAC: what only config and mesh together show is reported by `check`, before any run: each mistake with its
# key and status 2, the boundary of boxes, and what a good config is described as.
cardiac=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# expect STATUS TEXT KEY=VALUE...: `check` of the good config with these keys
expect() {
    want=$1 text=$2
    shift 2
    for set; do
        shift
        set -- "$@" --set "$set"
    done
    "$cardiac" check good.yaml "$@" >said 2>&1
    got=$?
    if [ $got -ne "$want" ] || ! grep -qF -- "$text" said; then
        echo "check good.yaml $*: status $got instead of $want, or '$text' is not in:"
        cat said
        failed=1
    fi
}

cat >good.yaml <<'EOF'
version: 1
mesh: {slab: {size: [3 mm, 2 mm, 1 mm], spacing: 0.5 mm}}
tissue:
  surface_to_volume: 1400 /cm
  fibers: [3, 0, 4]
  regions: [{model: tp06-epi, conductivity: {longitudinal: 0.13 S/m, transverse: 0.017 S/m}}]
stimuli: [{box: {min: [0, 0, 0], max: [1, 1, 1]}, duration: 2 ms, current: 50 uA/uF}]
time: {end: 1 ms, step: 0.05 ms}
output: {probes: {far: [3.2 mm, 2 mm, 1 mm]}}
EOF
expect 0 "good.yaml: 1 ms in 20 steps of 0.05 ms"
for text in "nodes      105" "elements   288 tetrahedra" "edges      " "volume     6 mm^3" "tag 0: 288" "everywhere (tissue.fibers)" "region 0: tp06-epi, 288 elements" \
    "method: rkl2, 2 stages a step; jacobi would take about" "sweeps while a steep front crosses: 3.0 passes over the matrix in 0.05 ms instead of" "rkl2 takes 2 stages, the first by the product and 1 by a sweep" "memory: at most" "disk: about 0.0" "2 frames of 1 field" "duration: about" "20 steps of" "stimulus S1: 19 nodes, 0.99976 mm^3 (shape: 1 mm^3), 50 uA/uF" "probe far: node 104, 0.2 mm away" "[3, 0, 4]"; do
    grep -qF -- "$text" said || { echo "no '$text' in what check says of a good config" && cat said && failed=1; }
done
[ "$(grep -c "^fibres" said)" = 1 ] || { cat said && failed=1; }
grep -q "spectrum of\|explicit steps\|theta" said && cat said && failed=1
# `run` says the same method with the same figures, and a method that is named is compared with rkl2
grep "^method: \|^rkl2 " said >method
"$cardiac" run good.yaml --output first >ran 2>&1 && grep "^method: \|^rkl2 " first/run.log | diff method - || { cat ran && failed=1; }
grep -q "^sweeps: [0-9.]* a step, at most [0-9]* a solve" first/run.log || { cat first/run.log && failed=1; } # the first step has two
expect 0 "rkl2 would take 2 stages, the first by the product and 1 by a sweep; jacobi takes at most" solver.method=jacobi
grep -q "^method: jacobi, about [0-9.]* sweeps a step while a steep front crosses, 2 where none does$" said || { cat said && failed=1; }
"$cardiac" check good.yaml --verbose >said && grep -q "^spectrum of" said && grep -q "^explicit steps would be stable" said || failed=1
"$cardiac" check good.yaml --resolved >again.yaml && grep -q "^# memory: at most" again.yaml || { cat again.yaml && failed=1; }
"$cardiac" check again.yaml --resolved >twice.yaml || failed=1
grep -v "^#" again.yaml >config && grep -v "^#" twice.yaml | diff config - || failed=1
[ "$(wc -l <config)" -gt 40 ] || failed=1

"$cardiac" check good.yaml --resolved --set 'tissue.regions[0].parameters={g_Ks: x0.25}' >again.yaml && grep -q "parameters: {g_Ks: 0.098 nS/pF}" again.yaml &&
    "$cardiac" check again.yaml >/dev/null 2>said || { cat said again.yaml && failed=1; }
expect 0 "warning: tissue.regions[1]: the regions before it leave nothing for it" \
    "tissue.regions=[{where: x < 30 mm, model: tp06-endo, conductivity: 0.1 S/m}, {model: tp06-epi, conductivity: 0.1 S/m}]"

# What a run will take: the files of one are what was said, and a disk that has less is reported
"$cardiac" mesh slab room.msh --size 3mm,2mm,1mm --spacing 0.1mm >/dev/null || failed=1
room="mesh={file: room.msh, scale: 1 mm}"
expect 0 "disk: about " "$room" "output.fields=[V, Ca_i]" "output.every=0.1 ms" "checkpoint={every: 0.5 ms, keep: 2}" "output.probes={}"
said=$(sed -n 's/^disk: about \([0-9.]*\) MB.*/\1/p' said)
"$cardiac" run good.yaml --quiet --output room --set "$room" --set "output.fields=[V, Ca_i]" --set "output.every=0.1 ms" \
    --set "checkpoint={every: 0.5 ms, keep: 2}" --set "output.probes={}" || failed=1
du -b --apparent-size room | awk -v said="$said" '{ s = $1 / 1e6 } END { exit !(said > 0.8 * s && said < 1.6 * s) }' ||
    { echo "said $said MB" && du -b room && failed=1; }
expect 0 "warning: output.directory: the run may write " time.end="1e9 ms" output.every="0.05 ms"

# The first steps are tried
expect 2 "the first steps of the run fail: blow-up in step 0" "stimuli[0].current=1e6 uA/uF"
expect 2 "(0, 0, 0 mm)" "stimuli[0].current=1e6 uA/uF"

# Too few sweeps or stages: the tolerance, the conductivity or a node is named as the cause, and `run` ends as `check` says
awk 'BEGIN { n = 40; for (i = 0; i < n; i++) x[i] = i < 20 ? 300 * i : i < 30 ? 5700 + 0.05 * (i - 19) : 5700.5 + 300 * (i - 29)
    print 2 * n; for (j = 0; j < 2; j++) for (i = 0; i < n; i++) print x[i], 300 * j, 0 }' >strip.pts
awk 'BEGIN { n = 40; print 2 * (n - 1); for (a = 0; a < n - 1; a++) { print "Tr", a, a + 1, a + n + 1, 1; print "Tr", a, a + n + 1, a + n, 1 } }' >strip.elem
strip="mesh={file: strip.elem}"
sides="stimuli=[{where: x < 5.7002 mm, duration: 2 ms, current: 50 uA/uF}]"
expect 2 "raise solver.tolerance or shorten time.step" solver.method=jacobi "tissue.regions[0]={model: passive, conductivity: 100 S/m}" solver.tolerance=1e-12
expect 2 "mm is the cause: its shortest edge is 5e-05 mm and the smallest angle of its elements 0.0095" "$strip" "$sides" output.probes={} solver.method=jacobi
"$cardiac" run good.yaml --output strip --quiet --set "$strip" --set "$sides" --set output.probes={} --set solver.method=jacobi >said 2>&1
[ $? = 3 ] && grep -q "mm is the cause: its shortest edge is 5e-05 mm" said || { cat said; failed=1; }
expect 0 "\`cardiac mesh repair IN OUT --collapse LENGTH\` removes edges below" "$strip" "$sides" output.probes={} solver.method=rkl2
expect 2 "most nodes are as stiff: in one step the conductivity reaches over " "tissue.regions[0].conductivity=1300 S/m" solver.method=jacobi
"$cardiac" mesh repair strip.elem mended.elem --collapse 1um >said && expect 0 "duration: about" "mesh={file: mended.elem}" "$sides" output.probes={} solver.method=rkl2

# Boxes and balls stimulate the volume inside them. Nodes count where half of theirs is, or the one with the largest share;
# without volume, those on the shape, closed to 1e-9 of the diagonal (3.74 mm).
at() { echo "stimuli=[{$1, duration: 2 ms, current: 50 uA/uF}]"; }
expect 0 "stimulus S1: 8 nodes, 0.75 mm^3 (shape: 0.75 mm^3)" "stimuli[0].box.max=[1, 1, 0.75]"
expect 0 "stimulus S1: 1 nodes, 0.066528 mm^3 (shape: 0.065704 mm^3)" "$(at 'sphere: {centre: [0, 0, 0], radius: 0.5 mm}')"
expect 0 "S1 covers 0.000519 mm^3 of the mesh, and 0.000366 are stimulated: its shape is too small" "$(at 'sphere: {centre: [0, 0, 0], radius: 0.1 mm}')"
expect 2 "stimuli[0].sphere: it selects no node of the mesh: it covers 3.05e-05 mm^3 of it" "$(at 'sphere: {centre: [0, 0, 0], radius: 0.03 mm}')"
expect 0 "stimuli[0]: S1 covers no volume of the mesh; the nodes on it are stimulated as those of a surface" "$(at 'box: {min: [0, 0, 0], max: [1, 1, 0]}')"
expect 0 "stimulus S1: 9 nodes, " "$(at 'box: {min: [0, 0, 0], max: [0.999999999, 1, 0]}')"
expect 0 "stimulus S1: 6 nodes, " "$(at 'box: {min: [0, 0, 0], max: [0.99999, 1, 0]}')"

# Places and tags that are not there
expect 2 "stimuli[0].box: it selects no node of the mesh" "stimuli[0].box={min: [7, 7, 7], max: [8, 8, 8]}"
expect 2 "stimuli[0].tags: no element of the mesh has tag 7" "stimuli=[{tags: [0, 7], duration: 2 ms, current: 50 uA/uF}]"
expect 2 "--set tissue.regions[0].tags: no element of the mesh has tag 7" "tissue.regions[0].tags=[0, 7]"
expect 2 "good.yaml:6:12: tissue.regions: 288 elements with tag 0 belong to no region" "tissue.regions[0].tags=[7]"
expect 2 "output.probes.far: probe far is outside the mesh" "output.probes={far: [9, 2, 1]}"
expect 2 "is no multiple of the spacing 0.4 mm; the nearest is 3.2 mm" "mesh.slab.spacing=0.4 mm"
expect 2 "mesh.slab: a spacing of 0.01 mm gives 4.919e+08 nodes and 2.94e+09 elements; at most 2147483647 of each" \
    "mesh.slab={size: [10 mm, 7 mm, 7 mm], spacing: 0.01 mm}"
expect 0 "rkl2 takes 3 stages, the first by the product and 2 by sweeps" solver.method=rkl2 time.step=2ms time.end=4ms output.every=2ms ionic.step=0.05ms
expect 2 "time.step: cells of tp06-epi step by 0.5 ms; beyond 0.2 ms" time.step=0.5ms
expect 2 "not a name (1 to 60 characters" "output.probes={$(printf '%061d' 0): [0, 0, 0]}"

# One field, one unit, however it is written
two() { echo "tissue.regions=[{where: x < 1 mm, model: $1, conductivity: 0 S/m}, {model: $2, conductivity: 0 S/m}]"; } # no fronts to measure
expect 2 "output.fields: 's' is in 1 in tp06-epi and in mV in fitzhugh-nagumo; name one of them, as in tp06-epi/s" "$(two tp06-epi fitzhugh-nagumo)" "output.fields=[V, s]"
expect 0 "" "$(two tp06-epi fitzhugh-nagumo)" "output.fields=[tp06-epi/s, fitzhugh-nagumo/s]"
expect 0 "" "$(two luo-rudy-1991 courtemanche-ra)" "output.fields=[ina.INa, ina.m]"

# All of them at once, each with its place in the file
sed -e 's/fibers: .*/fibers: [1, 0, 0]/' -e 's/{model/{tags: [3, 5], model/' -e 's/max: [[]1, 1, 1]/max: [-1, 0, 0]/' \
    -e 's/min: [[]0, 0, 0]/min: [-2, 0, 0]/' -e 's/far: .*}}/far: [9, 9, 9], deep: [0, 0, 9]}}/' good.yaml >many.yaml
"$cardiac" check many.yaml 2>said >/dev/null && failed=1
sed 's/\(: [^ ]*\).*/\1/' said >places
cat >want <<'EOF'
cardiac: many.yaml:6:12:
cardiac: many.yaml:6:20:
cardiac: many.yaml:6:20:
cardiac: many.yaml:7:17:
cardiac: many.yaml:9:24:
cardiac: many.yaml:9:41:
EOF
diff places want || { cat said && failed=1; }
sed -i 's/0.5 mm/0.7 mm/' many.yaml
expect_place() { "$cardiac" check many.yaml >said 2>&1; grep -q "$1" said || { cat said && failed=1; }; }
expect_place "many.yaml:2:14: mesh.slab: .*no multiple of the spacing 0.7 mm"

# Fibres that do nothing in a sheet, and those that do
sheet="mesh={sheet: {size: [3 mm, 2 mm], spacing: 0.5 mm}}"
expect 0 "warning: tissue.fibers: in 48 of 48 triangles the fibre is perpendicular to the element" "$sheet" "output.probes={}" "tissue.fibers=[0, 0.05, 1]"
expect 0 "" "$sheet" "output.probes={}" "tissue.fibers=[0, 0.2, 1]"
grep -q "perpendicular to the element" said && cat said && failed=1
cable="mesh={cable: {length: 3 mm, spacing: 0.5 mm}}"
expect 0 "in 6 of 6 lines the fibre is perpendicular to the element" "$cable" "output.probes={}" "tissue.fibers=[0, 1, 1]"

# Node lists: of numbers, and .vtx
echo "0 1 5 5" >list.txt
expect 0 "stimulus S1: 3 nodes" "stimuli=[{nodes: list.txt, duration: 2 ms, current: 50 uA/uF}]"
printf '2\nintra\n4 104\n' >list.vtx
expect 0 "stimulus S1: 2 nodes" "stimuli=[{nodes: list.vtx, duration: 2 ms, current: 50 uA/uF}]"
echo "105" >list.txt
expect 2 "node 105 does not exist; the mesh has nodes 0 to 104" "stimuli=[{nodes: list.txt, duration: 2 ms, current: 50 uA/uF}]"
printf '3\nintra\n4 104\n' >list.vtx
expect 2 "the file announces 3 nodes and lists 2" "stimuli=[{nodes: list.vtx, duration: 2 ms, current: 50 uA/uF}]"
expect 2 "stimuli[0].nodes: nosuch.txt: No such file" "stimuli=[{nodes: nosuch.txt, duration: 2 ms, current: 50 uA/uF}]"

# Fibres by a rule: printed as it stands, in the result one per element, and without a turn the same bits as one vector
expect 0 "" "tissue.fibers={across: z, from: 60, to: -60 deg}"
grep -q "^fibres     one per element, with sheet directions" said || { cat said && failed=1; }
expect 0 "with sheet directions, by rule: ldrb (tissue.fibers)" "mesh={ellipsoid: {size: [7 mm, 17 mm, 3 mm], edge: 3 mm}}" "tissue.fibers={rule: ldrb}" \
    "stimuli=[]" "output.probes={}"
[ "$(grep -c "^fibres" said)" = 1 ] || { cat said && failed=1; }
expect 2 "--set tissue.fibers: fibres cannot turn along z" "tissue.fibers={across: z, from: 60, to: -60}" \
    "mesh={sheet: {size: [3 mm, 2 mm], spacing: 0.5 mm}}" "output.probes={}"
"$cardiac" run good.yaml --quiet --output x --set "tissue.fibers=[1, 0, 0]" || failed=1
"$cardiac" run good.yaml --quiet --output still --set "tissue.fibers={across: z, from: 0, to: 0}" || failed=1
"$cardiac" run good.yaml --quiet --output turned --set "tissue.fibers={across: z, from: 30, to: 90}" || failed=1
"$cardiac" compare x/run.vtkhdf still/run.vtkhdf --field V --tolerance 0 >said || { cat said && failed=1; }
"$cardiac" compare x/run.vtkhdf turned/run.vtkhdf --field V --tolerance 0.1 >/dev/null 2>&1 && echo "turned fibres change nothing" && failed=1
"$cardiac" mesh info turned/run.vtkhdf | grep -q "one per element, with sheet directions" || failed=1

# Mesh files: a unit is needed where the format has none
"$cardiac" mesh slab box.msh --size 3mm,2mm,1mm --spacing 0.5mm >/dev/null || failed=1
"$cardiac" mesh convert box.msh box.pts --scale 1mm >/dev/null || failed=1
expect 2 "have no unit of length" "mesh={file: box.msh}"
# A run warns of what the mesh's edges take from a front's speed, however short it is
expect 0 "warning: tissue.regions[0]: too coarse: a front across the fibres"
grep -q "^cardiac: warning: tissue.regions\[0\]: .*; 1 more is not measured; to stay within 5 % everywhere, use " said || { cat said && failed=1; }
grep -qE "^cardiac: warning: tissue.regions\[0\]: (too coarse: a|edges .* long for a) front across the fibres" ran || { cat ran && failed=1; }

expect 0 "volume     6 mm^3" "mesh={file: box.msh, scale: 1 mm}"
expect 0 "volume     6000 mm^3" "mesh={file: box.msh, scale: 1 cm}" "output.probes={}"
expect 0 "volume     6 mm^3" "mesh={file: box.pts}"
expect 2 "nosuch.msh: No such file" "mesh={file: nosuch.msh, scale: 1 mm}"
# Times of files that are hardly in ms, and steps too short to measure fronts in
printf '0 0\n0.001 50\n0.003 0\n' >seconds.pulse
printf '0 0\n1 50\n3 0\n' >pulse
awk 'BEGIN { for (i = 0; i < 100; i++) print i, i / 200 }' >seconds
awk 'BEGIN { for (i = 0; i < 100; i++) print i, i / 2 }' >delays
expect 0 "warning: stimuli[0].pulse: is up to 0.003 ms; a stimulus has 0.05 ms to 200 ms" "stimuli=[{tags: 0, current: 50 uA/uF, pulse: seconds.pulse}]" "output.probes={}"
expect 0 "warning: stimuli[0].delays: is up to 0.5 ms; tissue has 1 ms to 10 s" "stimuli=[{delays: seconds, current: 50 uA/uF, duration: 2}]" "output.probes={}"
expect 0 "stimulus S1" "stimuli=[{delays: delays, current: 50 uA/uF, pulse: pulse}]" "output.probes={}"
grep "stimuli" said && failed=1
expect 0 "warning: the velocity of fronts is unknown: fronts are measured in steps of 1e-05 ms or more, not of 1e-09 ms" time.step="1e-9 ms" time.end="1e-6 ms" output.every="1e-9 ms"
# What an option replaces is read as well
"$cardiac" run good.yaml --threads 1 --set threads=-1 --dry-run >said 2>&1
[ $? -eq 2 ] && grep -q "threads: '-1' must be" said || { cat said && failed=1; }
# --syntax needs no mesh, and finds what is wrong with keys and values
"$cardiac" check good.yaml --syntax --set "mesh={file: nosuch.msh, scale: 1 mm}" >said 2>&1 && [ ! -s said ] || { cat said && failed=1; }
"$cardiac" check good.yaml --syntax --set time.end=-1ms >said 2>&1
[ $? -eq 2 ] && grep -q "time.end: '-1ms' must be" said || { cat said && failed=1; }
expect 2 "tissue.fibers: 288 of 288 elements lie in an anisotropic region and have no nonzero fibre direction; the first: 0 (tag 0) at (0.375, 0.25, 0.125) mm, 1" "mesh={file: box.msh, scale: 1 mm}" "tissue.fibers=from mesh"

# Fronts are those of the method that auto chooses for the run
cat >cable.yaml <<'EOF'
version: 1
mesh: {cable: {length: 10 mm, spacing: 0.1 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{model: mitchell-schaeffer, conductivity: 0.3 S/m}]}
time: {end: 1 ms, step: 0.05 ms}
solver: {splitting: godunov} # whose fronts of rkl2 and sweeps differ most
EOF
front() { "$cardiac" check cable.yaml --set solver.method="$1" 2>/dev/null | sed -n 's/^front in region 0 in every direction: .* m\/s, \([0-9.]*\) m\/s on this mesh.*/\1/p'; }
"$cardiac" check cable.yaml 2>/dev/null | grep -q "^method: rkl2" && [ -n "$(front auto)" ] && [ "$(front auto)" = "$(front rkl2)" ] && [ "$(front auto)" != "$(front jacobi)" ] ||
    { echo "fronts: $(front auto), rkl2 $(front rkl2), jacobi $(front jacobi)" && failed=1; }

# A wrong probe costs a run nothing of what was there
"$cardiac" run good.yaml --quiet --set checkpoint.every=0.5ms || failed=1
ls out >before
"$cardiac" run good.yaml --quiet --overwrite --set "output.probes={far: [9, 2, 1]}" 2>/dev/null && failed=1
ls out | diff before - || failed=1
exit $failed
