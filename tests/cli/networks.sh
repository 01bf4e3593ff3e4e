#!/bin/bash
# networks.sh CARDIAC START COMM: a wire of known radius in a block: its input resistance, how V falls along it and what a
# resistor at its end draws, in the units of the config; its front is that of the cable alone; bits on several ranks and
# after a resume; what the result holds; which configs are refused.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"

expect 0 "" "$cardiac" mesh cable wire.vtu --size 4mm --spacing 0.1mm
# The resistor is as large as that of an endless wire: sigma pi r^2 / lambda, lambda^2 = sigma tau / (chi Cm), chi = 2 / r
cat > wire.yaml <<'EOC'
version: 1
mesh:
  slab: {size: [4 mm, 2 mm, 2 mm], spacing: 1 mm}
  network: [{file: wire.vtu, scale: 1 mm, tag: 101, radius: 0.1 mm, junction_tag: 102}]
tissue:
  surface_to_volume: 1400 /cm
  regions:
    - {tags: [102], conductance: 0.28099258924 uS}
    - {tags: [101], model: passive, conductivity: 0.5 S/m, radius: 20 um, surface_to_volume: 1000 /cm}
    - {tags: all, model: passive, conductivity: 2 S/m}
stimuli: [{where: tag = 101 and x < 0.05 mm, duration: 100 ms, current: 100 uA/uF}]
time: {end: 100 ms, step: 0.01 ms}
solver: {tolerance: 1e-7 mV, precision: double, splitting: staggered}
output: {directory: w, every: 50 ms, probes: {root: [0.1 mm, 0 mm, 0 mm], end: [3.9 mm, 0 mm, 0 mm]}}
checkpoint: {every: 50 ms}
EOC
expect 0 "network 0: 1 tree, 1 end, 1 of them 0 to 0 mm from the nearest node of the mesh; 1 resistor" "$cardiac" run wire.yaml
# chi 100 /mm, sigma 0.5 mS/mm, tau 10 ms, Cm 0.01 uF/mm^2; 100 uA/uF into half an element; a probe at either end is the block's node
awk -F, 'END { r = 0.02; area = 3.14159265358979 * r * r; lambda = sqrt(0.5 * 10 / (2 / r * 0.01)); infinite = 0.5 * area / lambda # mS
    current = 100 * 2 / r * 0.01 * area * 0.1 / 2; rise = ($2 + 85) * exp(0.1 / lambda); end = ($3 + 85) * exp(-0.1 / lambda)
    printf "input resistance %.5g MOhm, exact %.5g; V at the end %.5g of it, exact %.5g\n", rise / current / 1e3, 1 / infinite / 1e3, end / rise, exp(-4 / lambda)
    a = rise * infinite / current - 1; b = end / rise / exp(-4 / lambda) - 1; exit !(a * a < 25e-8 && b * b < 1e-6) }' w/probes.csv ||
    { tail -1 w/probes.csv; fail "the wire's input resistance, or V at its end"; }
# The config that the result keeps is one to run.
"$cardiac" info --config w/run.vtkhdf > kept.yaml
expect 0 "" "$cardiac" run kept.yaml --output k --set time.end=1ms

# Between nodes 100 mV apart rounded rows err by more than their budget, which is said, and by what is said at most
awk 'BEGIN { print 22; for (i = 0; i < 22; i++) print 0.1 * i, 0, 0 }' > apart.pts
awk 'BEGIN { print 21; for (i = 0; i < 21; i++) print "Ln", i, i + 1, i < 10 ? 1 : i == 10 ? 3 : 2 }' > apart.elem
cat > apart.yaml <<'EOC'
version: 1
mesh: {file: apart.elem, scale: 1 mm}
tissue:
  surface_to_volume: 1400 /cm
  regions:
    - {tags: [3], conductance: 200 uS}
    - {tags: [1], model: passive, conductivity: 0.3 S/m, radius: 100 um, initial: {V: 15}}
    - {tags: all, model: passive, conductivity: 0.3 S/m, radius: 100 um}
time: {end: 2 ms, step: 0.02 ms}
solver: {method: jacobi, tolerance: 1e-5 mV}
output: {directory: apart, every: 0.1 ms, precision: float64}
EOC
expect 0 "V changed by 38.9 mV by diffusion in a step; rows are rounded for 20 mV, so rounding may have moved V by 1.9e-05 mV, more than" "$cardiac" run apart.yaml
expect 0 "" "$cardiac" run apart.yaml --output double --set solver.precision=double
! grep -q "rows are rounded" said || { cat said; fail "a warning of rounding in double precision"; }
expect 0 "" "$cardiac" compare --tolerance 1.9e-5 apart/run.vtkhdf double/run.vtkhdf

# A front in it is that of a cable with its surface-to-volume ratio.
sed -e 's/passive/mitchell-schaeffer/; s/100 ms/8 ms/; s/0.01 ms}/0.02 ms}/; s/50 ms/4 ms/; s/0.28099258924 uS/0 uS/; s/x < 0.05 mm/x < 0.55 mm/; s/\[3.9 mm, 0 mm, 0 mm\]}/[2.5 mm, 0 mm, 0 mm]}/' wire.yaml > front.yaml
cat > alone.yaml <<'EOC'
version: 1
mesh: {cable: {length: 4 mm, spacing: 0.1 mm}}
tissue: {surface_to_volume: 1000 /cm, regions: [{model: mitchell-schaeffer, conductivity: 0.5 S/m}]}
stimuli: [{nodes: six.txt, duration: 8 ms, current: 100 uA/uF}]
time: {end: 8 ms, step: 0.02 ms}
solver: {tolerance: 1e-7 mV, precision: double, splitting: staggered}
output: {directory: alone, every: 4 ms, probes: {end: [2.5 mm, 0 mm, 0 mm]}}
EOC
seq 0 5 > six.txt # a network is stimulated by whole nodes
[ "$(grep -c "8 ms\|4 ms\|0.02 ms" front.yaml)" -ge 4 ] || { cat front.yaml; fail "the config of the front"; }
expect 0 "" "$cardiac" run front.yaml --output f
expect 0 "" "$cardiac" run alone.yaml
came() { awk -F, '$1 == "end" && $2 == 1 { printf "%.3f", $3 }' "$1/beats.csv"; }
[ -n "$(came f)" ] && [ "$(came f)" = "$(came alone)" ] || fail "the front came at $(came f) ms, alone at $(came alone) ms"

# and in the log as fast on a path with corners
awk 'BEGIN { print 41; for (i = 0; i < 41; i++) print 50 * i, 86.60254 * (i % 2), 0 }' > bent.pts
awk 'BEGIN { print 40; for (i = 0; i < 40; i++) print "Ln", i, i + 1, 1 }' > bent.elem
sed 's/wire.vtu, scale: 1 mm/bent.elem/; s/x < 0.55 mm/x < 0.275 mm/' front.yaml > bent.yaml
expect 0 "" "$cardiac" run bent.yaml --output b
fast() { sed -n 's/^velocity in region 1 [^:]*: \([0-9.]*\) m.*/\1/p' "$1/run.log"; }
awk -v a="$(fast f)" -v b="$(fast b)" 'BEGIN { exit !(a > 0 && b / a > 0.99 && b / a < 1.01) }' || fail "on corners $(fast b) m/s, straight $(fast f)"

# The same bits on several ranks, which cut the wire and its junction, and after a resume by another number
if [ -n "${2:-}" ] && [ -e "$3" ]; then
    export OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0
    local_ranks "$2" "$3"
    sed -i 's/step: 0.01 ms/step: 0.1 ms/; s/100 ms/5 ms/; s/50 ms/2 ms/; s/end: 100 ms/end: 5 ms/; s/every: 50 ms/every: 2 ms/g' wire.yaml
    expect 0 "" "$cardiac" run wire.yaml --output w1
    for n in 2 3; do
        expect 0 "" here $n "$local" run wire.yaml --output w$n
        same w1/run.vtkhdf w$n/run.vtkhdf
        same w1/checkpoint-40.h5 w$n/checkpoint-40.h5
        expect 0 "" "$cardiac" mesh convert w$n/run.vtkhdf w$n.vtk --scale 1mm
    done
    cmp w2.vtk w3.vtk || fail "another mesh in the result of three ranks"
    expect 0 "" here 3 "$local" run wire.yaml --output r --set time.end=2ms
    expect 0 "resumed from" here 2 "$local" run wire.yaml --output r --resume
    same w1/run.vtkhdf r/run.vtkhdf
    same w1/checkpoint-40.h5 r/checkpoint-40.h5
fi
expect 0 "96 tetrahedra, 41 lines" "$cardiac" info w/run.vtkhdf

# Lines are long for a velocity, too, which no search on this mesh corrects.
expect 0 "" "$cardiac" mesh cable long.vtu --size 4mm --spacing 2mm
sed 's/wire.vtu/long.vtu/; s/model: passive, conductivity: 0.5 S.m/model: mitchell-schaeffer, velocity: 0.5 m\/s/' wire.yaml > long.yaml
expect 0 "front in region 1 in every direction: 0.5 m/s; not measured in lines of this mesh" "$cardiac" check long.yaml
expect 0 "tissue.regions[1]: edges of 2 mm are long for a front in every direction" "$cardiac" run long.yaml --dry-run

# A line along an edge of a tetrahedron in a format without names: what is left out is said, and a region of lines with its tag makes it tissue
printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 9 "purkinje"\n$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n2\n1 1 2 9 1 1 2\n2 4 2 7 1 1 2 3 4\n$EndElements\n' > embedded.msh
expect 0 "" "$cardiac" mesh convert embedded.msh embedded.vtu --scale 1mm
cat > embedded.yaml <<'EOF'
version: 1
mesh: {file: embedded.vtu, scale: 1 mm}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: mitchell-schaeffer, conductivity: 0.2 S/m}]}
stimuli: [{where: x < 0.6 mm, duration: 2 ms, current: 50 uA/uF}]
time: {end: 1 ms, step: 0.05 ms}
EOF
expect 0 "warning: mesh: lines along edges of tetrahedra are left out: tag 9 (1); they become tissue by a region with their tag and \`radius\`" "$cardiac" check embedded.yaml
expect 0 "1 tetrahedra, 1 lines" "$cardiac" check embedded.yaml --set 'tissue.regions=[{tags: [9], model: passive, conductivity: 0.2 S/m, radius: 0.05 mm}, {tags: all, model: mitchell-schaeffer, conductivity: 0.2 S/m}]'

# What is refused, and why
change() { sed "$1" wire.yaml > bad.yaml; }
change 's/, radius: 20 um//'
expect 2 "tissue.regions[1]: 40 lines (tag 101) need a radius" "$cardiac" check bad.yaml
change 's/tags: all, model: passive/tags: all, model: passive, thickness: 1 mm/'
expect 2 "tissue.regions[2].thickness: the region has no triangles" "$cardiac" check bad.yaml
change 's/radius: 20 um/radius: 20 uS/'
expect 2 "'20 uS' is not a length (mm)" "$cardiac" check bad.yaml
change 's/conductance: 0.28099258924 uS/conductance: 1 S\/m/'
expect 2 "'1 S/m' is not a conductance (uS)" "$cardiac" check bad.yaml
change 's/tags: \[102\], conductance/tags: [102], model: passive, conductance/'
expect 2 "tissue.regions[0].model: is given with conductance: a resistor has no membrane" "$cardiac" check bad.yaml
change 's/tags: \[101\], model: passive, conductivity: 0.5 S.m, radius: 20 um, surface_to_volume: 1000 .cm/tags: [101], conductance: 1 uS/'
expect 2 "tissue.regions: 41 nodes belong to resistors alone and have no membrane, the first at [0 mm, 0 mm, 0 mm]" "$cardiac" check bad.yaml
change 's/tags: all, model: passive, conductivity: 2 S.m/tags: all, conductance: 1 uS/'
expect 2 "tissue.regions[2].conductance: 96 tetrahedra (tag 0) are not lines; a resistor is a line" "$cardiac" check bad.yaml
change 's/100 uA.uF/100 uA\/cm^3/'
expect 2 "a current per volume is ambiguous where a region has its own surface_to_volume" "$cardiac" check bad.yaml
change 's/, radius: 0.1 mm//'
expect 2 "mesh.network[0].radius: is missing" "$cardiac" check bad.yaml
change 's/, junction_tag: 102//'
expect 2 "mesh.network[0].junction_tag: is missing" "$cardiac" check bad.yaml
change 's/tag: 101, r/tag: 102, r/'
expect 2 "mesh.network[0].junction_tag: is also the tag of the lines" "$cardiac" check bad.yaml
change 's/file: wire.vtu/file: none.vtu/'
expect 2 "mesh.network[0].file: none" "$cardiac" check bad.yaml
"$cardiac" mesh slab block.vtu --size 1mm,1mm,1mm --spacing 1mm > said
change 's/file: wire.vtu/file: block.vtu/'
expect 2 "mesh.network[0].file: a network has lines alone, this mesh has tetrahedra" "$cardiac" check bad.yaml
change 's/slab: .*/file: block.vtu\n  scale: 1 mm/; s/tag: 101, r/tag: 0, r/'
expect 2 "'0' must be at least 1" "$cardiac" check bad.yaml
change 's/, scale: 1 mm, tag/, scale: 2 mm, tag/'
expect 2 "no element of the mesh has tag 102: no end of its network has a node of the mesh within radius" "$cardiac" check bad.yaml
# An end that finds nothing is a warning, and a tree of such ends another.
change 's/radius: 0.1 mm, junction_tag: 102/radius: 0.1 mm, junction_tag: 102, scale: 2 mm/; s/, scale: 1 mm, tag/, tag/; /tags: \[102\]/d'
expect 0 "mesh.network: 1 of 1 ends have no node of the mesh within radius, the farthest is 4 mm away; 1 of 1 trees are joined nowhere" "$cardiac" check bad.yaml
# Lines that meet in two nodes do not conduct; a radius in the wrong unit does not fill the memory.
wire='{file: wire.vtu, scale: 1 mm, tag: 101, radius: 0.1 mm, junction_tag: 102}'
expect 0 "mesh.network: 41 nodes at the same place as another one of a network" "$cardiac" check wire.yaml --set "mesh.network=[$wire, $wire]"
awk 'BEGIN { print 201; for (i = 0; i < 201; i++) print i, i % 2, 0 }' > star.pts
awk 'BEGIN { print 200; for (i = 1; i < 201; i++) print "Ln 0", i, 1 }' > star.elem
change 's/wire.vtu, scale: 1 mm/star.elem/; s/radius: 0.1 mm/radius: 1 m/'
expect 2 "more than 3960 resistors, ten times the elements, are within a radius of 1000 mm of the ends" "$cardiac" check bad.yaml
# Fused, the end is the block's node.
change 's/junction_tag: 102/junctions: fused/; /tags: \[102\]/d'
expect 0 "fused: 1 nodes belong to tetrahedra and to elements of a lower dimension" "$cardiac" check bad.yaml
exit 0
