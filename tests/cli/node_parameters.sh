#!/bin/bash
# node_parameters.sh PROGRAM: parameters of a model that an array of the mesh file or an expression gives at the nodes: as values or factors they are
# those that regions have, bit for bit; resumed, and refused.
. "$(dirname "$0")/../support/run_helpers.sh"

expect 0 "" "$cardiac" mesh sheet bare.msh --size 2mm,1mm --spacing 0.0625mm
# gks: 0.1 and 0.3 by the side of x = 1 mm; share: the same over the default, 0.392; smooth: all different; low: beneath 0; three: of
# three components; tags: 2 where an element is not in the lower half
array() { # array NAME COMPONENTS 'expression of x and the node number'
    awk -v name="$1" -v components="$2" '/^\$Nodes/ { inside = 1; next } /^\$EndNodes/ { exit }
        inside == 1 { n = $1; inside = 2; printf "$NodeData\n1\n\"%s\"\n1\n0\n3\n0\n%d\n%d\n", name, components, n; next }
        inside == 2 { x = $2; line = $1; for (k = 0; k < components; k++) line = line sprintf(" %.17g", '"$3"'); print line }
        END { print "$EndNodeData" }' bare.msh
}
{
    cat bare.msh
    array gks 1 'x < 1.01 ? 0.1 : 0.3'
    array share 1 '(x < 1.01 ? 0.1 : 0.3) / 0.392'
    array smooth 1 '0.2 + x / 16 + $1 / 65536'
    array low 1 'x - 1'
    array three 3 'x'
} > mesh.msh
# config REGION...: that mesh, with these regions
config() {
    cat <<END
version: 1
mesh: {file: mesh.msh, scale: 1 mm}
tissue:
  surface_to_volume: 1400 /cm
  regions:
END
    for region; do echo "    - {model: tp06-epi, conductivity: 0.1 S/m, $region}"; done
    cat <<END
stimuli:
  - {box: {min: [0 mm, 0 mm, 0 mm], max: [0.3 mm, 1 mm, 0 mm]}, duration: 1 ms, current: 60 uA/uF}
time: {end: 8 ms, step: 0.02 ms}
solver: {precision: double}
output: {every: 8 ms, precision: float64, fields: [V, Xs, IKs]}
checkpoint: {every: 4 ms}
END
}
# the elements up to x = 1 mm have tag 1 and are listed first, so that the nodes at 1 mm are theirs
awk '/^\$Nodes/ { inside = 1 } /^\$EndNodes/ { inside = 0 } inside && NF == 4 { x[$1] = $2 }
    /^\$Elements/ { inside = 3 } /^\$EndElements/ { inside = 0 }
    inside == 3 && NF > 5 { tag = x[$(NF)] < 1.01 && x[$(NF - 1)] < 1.01 && x[$(NF - 2)] < 1.01 ? 1 : 2; $4 = tag; $5 = tag }
    { print }' bare.msh > tagged.msh
config 'tags: all, parameters: {g_Ks: {field: gks}}' > field.yaml
config 'tags: all, parameters: {g_Ks: {factor: share}}' > factor.yaml
config 'tags: 1, parameters: {g_Ks: 0.1}' 'tags: all, parameters: {g_Ks: 0.3}' | sed 's/mesh\.msh/tagged.msh/' > regions.yaml
expect 0 "" "$cardiac" run field.yaml --quiet --device cpu --threads 2 --output field
grep -q "g_Ks 0.1 .. 0.3 by gks" field/run.log || fail "$(cat field/run.log)"
probe() { # probe CONFIG OUTPUT: of nodes along the sheet
    expect 0 "" "$cardiac" run $1.yaml --quiet --device cpu --output $2 --set 'output.fields=[V, Xs, IKs, Ca_i, K_i]' --set output.every=1ms \
        "${@:3}" --set 'output.probes={a: [0.5 mm, 0.5 mm, 0 mm], b: [1 mm, 0.25 mm, 0 mm], c: [1.125 mm, 0.75 mm, 0 mm], d: [2 mm, 1 mm, 0 mm]}'
}
probe field field-probed
probe regions regions-probed
cmp field-probed/probes.csv regions-probed/probes.csv || fail "a field is not two regions"
[ "$(wc -l < field-probed/probes.csv)" = 10 ] || fail "$(wc -l < field-probed/probes.csv) lines"
probe factor factor-probed
awk -F, 'NR == FNR { for (k = 1; k <= NF; k++) v[FNR, k] = $k; next }
    FNR > 1 { for (k = 2; k <= NF; k++) { d = ($k - v[FNR, k]) / (1 + ($k > 0 ? $k : -$k)); if (d ^ 2 > 1e-18) exit 1 } }' \
    field-probed/probes.csv factor-probed/probes.csv || fail "factors are not values over the default"

# resumed the same; with other numbers in the array another run
cp -r field again && rm again/checkpoint-400.h5
expect 0 "" "$cardiac" run field.yaml --quiet --device cpu --output again --resume
same field/checkpoint-400.h5 again/checkpoint-400.h5
cp mesh.msh kept.msh
sed 's/ 0\.29999999999999999$/ 0.31/' kept.msh > mesh.msh
cmp -s mesh.msh kept.msh && fail "the mesh is as it was"
expect 2 "resume refused" "$cardiac" run field.yaml --quiet --device cpu --output again --resume
mv kept.msh mesh.msh

# values that all differ, of two regions and of two parameters
set() { echo "tissue.regions[0].parameters={g_Ks: $1}"; }
# refusals, in a model whose text is compiled at once
sed 's/tp06-epi/mitchell-schaeffer/; s/g_Ks/tau_close/; s/fields: .*\]/fields: [V]/' field.yaml > small.yaml
small() { expect 2 "$1" "$cardiac" check small.yaml --set "tissue.regions[0].parameters={tau_close: $2}"; }
config 'tags: all, parameters: {g_Ks: {field: smooth}}' > smooth.yaml
expect 0 "by smooth" "$cardiac" check smooth.yaml
expect 0 "" "$cardiac" run smooth.yaml --quiet --device cpu --output smooth
expect 2 "unknown key 'levels'; expected {field: EXPRESSION}" "$cardiac" check smooth.yaml --set "$(set '{field: smooth, levels: 5}')"
expect 0 "paces one cell with g_Ks as if" "$cardiac" check field.yaml --set "$(set '{field: gks}')" --set 'tissue.regions[0].initial={pace: 1, period: 50 ms}'

# an expression of places, as a value and as a factor
expect 0 "g_Ks 0 .. 0.784 by 2 - x / (1 mm)" "$cardiac" check field.yaml --set "$(set '{factor: 2 - x / (1 mm)}')"
if full; then
    probe field expression-probed --set "$(set '{field: gks / 2 + 0.5 * gks}')"
    cmp field-probed/probes.csv expression-probed/probes.csv || fail "half and half are not the whole"
fi
small "the text ends where a number" '{field: 2 * }'

# columns of numbers: of nodes (also as an .adj file of openCARP), of elements, and refused ones
awk '/^"gks"/ { on = 1 } /^\$EndNodeData/ { on = 0 } on && NF == 2 { print $2 }' mesh.msh > gks.dat
awk 'NR == FNR { n++; next } FNR == 1 { print n; print "extra" } { print FNR - 1, $1 }' gks.dat gks.dat > gks.adj
awk '/^\$Elements/ { on = 1 } on && NF > 5 { print $4 / 2 }' tagged.msh > half.dat
head -3 gks.dat > few.dat
sed '3s/.*/1 7/' gks.adj > twice.adj
for file in $(full && echo gks.dat) gks.adj; do
    probe field "${file/gks./by-}" --set "mesh.arrays={ks: $file}" --set "$(set '{field: ks}')"
    cmp field-probed/probes.csv "${file/gks./by-}"/probes.csv || fail "$file is not the array of the mesh file"
done
short() { expect 0 "" "$cardiac" run regions.yaml --quiet --device cpu --output "$1" --set time.end=8ms --set output.every=1ms --set "tissue.regions[1].scale=$2" --set "tissue.regions[0].scale=$2" "${@:3}"; }
short by-tag 'if(tag = 1, 0.5, 1)'
short by-column halved --set 'mesh.arrays={halved: half.dat}'
same by-tag/run.vtkhdf by-column/run.vtkhdf
expect 0 "g_Ks 0.196 .. 0.392 by halved" "$cardiac" check field.yaml --set mesh.file=tagged.msh --set 'mesh.arrays={halved: half.dat}' --set "$(set '{factor: halved}')"
column() { expect 2 "$1" "$cardiac" check small.yaml --set "mesh.arrays={gks2: $2}"; }
column "--set mesh.arrays: array 'gks2' has 3 values; with 1 for each, the mesh needs 561 (nodes) or 1024 (elements)" few.dat
column "node 1 already has a value" twice.adj
sed '1s/.*/9/' gks.adj > nine.adj
column "nine.adj: the file announces 9 nodes and lists 561" nine.adj
column "no-such.dat" no-such.dat
expect 2 "the mesh has an array of that name" "$cardiac" check small.yaml --set 'mesh.arrays={gks: gks.dat}'

small "did you mean 'gks'" '{field: gsk}'
small "has 3 components; expected one" '{field: three}'
small "'low' gives -1 at node 0" '{field: low}'
small "unknown key 'level'" '{field: gks, level: 4}'
small "field or factor is missing" '{}'

# compiled at its first use, also of a built-in model
mkdir nothing
expect 2 'requires cc, gcc or clang on the PATH (package gcc), or $CC; one value in each region needs no compiler' env PATH="$PWD/nothing" CC= XDG_CACHE_HOME="$PWD/no-cache" "$cardiac" check field.yaml
grep -q "^cardiac: field.yaml:6:.*: tissue.regions\[0\].parameters: parameters that vary" said || fail "no place: $(cat said)"
expect 0 "" env PATH="$PWD/nothing" CC= XDG_CACHE_HOME="$PWD/no-cache" "$cardiac" check regions.yaml
expect 2 "arrays of the mesh: none" "$cardiac" check small.yaml --set 'mesh={sheet: {size: [2 mm, 1 mm], spacing: 0.25 mm}}'

# a bare shell: its openings, a field between two of them, fibres at an angle to it, and a stimulus by it
awk 'BEGIN { n = 16; m = 8; print n * (m + 1) > "shell.pts"; print 2 * n * m > "shell.elem"
    for (j = 0; j <= m; j++) for (i = 0; i < n; i++) { r = 2000 + 100 * j; a = i * 6.283185307179586 / n; printf "%.17g %.17g %d\n", r * cos(a), r * sin(a), 500 * j > "shell.pts" }
    for (j = 0; j < m; j++) for (i = 0; i < n; i++) { k = (i + 1) % n; a = j * n; b = a + n
        print "Tr", a + i, a + k, b + k, 1 > "shell.elem"; print "Tr", a + i, b + k, b + i, 1 > "shell.elem" } }'
cat > shell.yaml <<'END'
version: 1
mesh:
  file: shell.elem
  surfaces:
    wide: opening(1)
    narrow: opening([0 mm, 0 mm, 0.3 mm])
  laplace:
    up: {from: narrow, to: wide}
tissue:
  surface_to_volume: 1400 /cm
  fibers: [{rule: field, field: up, where: up < 0.5}, {rule: field, field: up, angle: 60 + 30 * up}]
  regions:
    - {where: distance_to(wide) < 0.6 mm, model: passive, conductivity: 0.1 S/m}
    - {model: mitchell-schaeffer, conductivity: {longitudinal: 0.3 S/m, transverse: 0.1 S/m}, parameters: {tau_close: {factor: 1 + 0.2 * up}}}
stimuli: [{where: surface(narrow), duration: 1 ms, current: 60 uA/uF}]
time: {end: 4 ms, step: 0.05 ms}
END
expect 0 "opening(1): 17.48 mm long, centre at (" "$cardiac" mesh info shell.elem
expect 0 "up: 0 on narrow; 1 on wide" "$cardiac" mesh coordinates shell.yaml up.vtkhdf
expect 0 "up" "$cardiac" mesh info up.vtkhdf
expect 2 "options name surfaces and the scale" "$cardiac" mesh coordinates shell.yaml other.vtkhdf --scale 1mm
expect 0 "" "$cardiac" run shell.yaml --quiet --device cpu --output shell
"$cardiac" check shell.yaml --resolved 2>/dev/null > again.yaml
expect 0 "" "$cardiac" run again.yaml --quiet --device cpu --output shell-again
expect 0 "equal" "$cardiac" compare shell/run.vtkhdf shell-again/run.vtkhdf
at() { echo "mesh={file: shell.elem, surfaces: {wide: opening(1), narrow: opening(2), other: $1}, laplace: {up: {from: narrow, to: ${2:-other}}}}"; }
expect 2 "mesh.laplace.up: the mesh has no opening 3; its rims: 1 at [" "$cardiac" check shell.yaml --set "$(at 'opening(3)')"
expect 2 "mesh.laplace.up: every node of \`to\` is one of \`from\`, too" "$cardiac" check shell.yaml --set "$(at 'opening(2)')"
expect 2 "mesh.laplace.up: no surface 'wid' (did you mean 'wide'?); mesh.surfaces has: wide, narrow, other" "$cardiac" check shell.yaml --set "$(at 'opening(1)' wid)"
expect 2 "mesh.laplace has no field 'ap' (did you mean 'up'?)" "$cardiac" check shell.yaml --set 'tissue.fibers={rule: field, field: ap}'
expect 2 "no rule holds in 256 elements; add a last one" "$cardiac" check shell.yaml --set 'tissue.fibers=[{rule: field, field: up, where: up > 2}]'
expect 2 "openings are rims of a shell of triangles, and this mesh has tetrahedra" "$cardiac" check shell.yaml --set 'mesh={slab: {size: [2 mm, 2 mm, 2 mm], spacing: 1 mm}, surfaces: {wide: opening(1), narrow: opening(1)}, laplace: {up: {from: narrow, to: wide}}}' --set 'tissue.fibers=[1, 0, 0]'

full || exit 0 # numbers of long runs, by the code above
# two smooth gradients, of g_Kr from 0 to 5 times along x and of g_to from 1 to 2 times along y: repolarisation comes earlier along x, and the notch
# at 30 ms is deeper along y
cat > gradients.yaml <<'END'
version: 1
mesh: {sheet: {size: [10 mm, 2 mm], spacing: 0.25 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions: [{model: tp06-epi, conductivity: 0.2 S/m, parameters: {g_Kr: {factor: 5 * x / (10 mm)}, g_to: {factor: 1 + y / (2 mm)}}}]
stimuli: [{where: x < 0.8 mm, duration: 2 ms, current: 50 uA/uF}]
time: {end: 280 ms, step: 0.05 ms, longest: 0.8 ms}
output: {every: 280 ms, probes_every: 1.6 ms, probes: {a: [0 mm, 1 mm, 0 mm], b: [5 mm, 1 mm, 0 mm], c: [10 mm, 1 mm, 0 mm], low: [5 mm, 0 mm, 0 mm], high: [5 mm, 2 mm, 0 mm]}}
END
expect 0 "" "$cardiac" run gradients.yaml --quiet --device cpu --output gradients
awk -F, 'NR > 1 { for (k = 2; k <= 6; k++) { up[k] = up[k] || $k > 0; if (up[k] && !t[k] && $k < -70) t[k] = $1; if (!notch[k] && $1 > 30) notch[k] = $k } }
    END { print t[2], t[3], t[4], notch[5], notch[6]; exit !(t[2] > t[3] + 20 && t[3] > t[4] + 15 && notch[5] > notch[6] + 0.3) }' gradients/probes.csv > said ||
    fail "repolarisation along x, V at 30 ms along y: $(cat said)"

# a velocity that varies: 0.6 m/s times the root of scale, within 5 % at 4, 10, 20 and 34 mm
cat > fast.yaml <<'END'
version: 1
mesh: {cable: {length: 40 mm, spacing: 0.1 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{model: tp06-epi, velocity: 0.6 m/s, scale: (0.5 + x / (40 mm))^2}]}
stimuli: [{where: x <= 0.8 mm, duration: 2 ms, current: 60 uA/uF}]
time: {end: 80 ms, step: 0.02 ms}
output: {every: 80 ms, probes_every: 0.2 ms, probes: {a: [3 mm, 0 mm, 0 mm], b: [5 mm, 0 mm, 0 mm], c: [9 mm, 0 mm, 0 mm], d: [11 mm, 0 mm, 0 mm],
    e: [19 mm, 0 mm, 0 mm], f: [21 mm, 0 mm, 0 mm], g: [33 mm, 0 mm, 0 mm], h: [35 mm, 0 mm, 0 mm]}}
END
expect 0 "is the velocity where \`scale\` is 1" "$cardiac" run fast.yaml --quiet --device cpu --output fast
awk -F, 'NR > 1 { for (k = 2; k <= 9; k++) { if (!(k in t) && $k > -40) t[k] = p0 + ($1 - p0) * (-40 - p[k]) / ($k - p[k]); p[k] = $k } p0 = $1 }
    END { split("0.36 0.45 0.6 0.81", want, " "); for (k = 1; k <= 4; k++) { v = 2 / (t[2 * k + 1] - t[2 * k]); print v, want[k]; if (!(v / want[k] < 1.05 && v / want[k] > 0.95)) bad = 1 } exit bad }' \
    fast/probes.csv > said || fail "velocities, and as asked for: $(cat said)"
exit 0
