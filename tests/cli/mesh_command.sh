#!/bin/sh
# mesh_command.sh CARDIAC SOURCE: `cardiac mesh` from the outside: exit statuses, what is printed, what is written.
cardiac=$1
source=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# expect STATUS WORDS ARGUMENT...: the exit status, and words that stdout or stderr must hold
expect() {
    status=$1 words=$2
    shift 2
    "$cardiac" mesh "$@" >out 2>&1
    got=$?
    if [ $got -ne "$status" ] || ! grep -qF -- "$words" out; then
        echo "cardiac mesh $*: status $got instead of $status, or '$words' is not in:"
        cat out
        failed=1
    fi
}

# The meshes of the repository are what the program makes.
expect 0 "slab_small.msh: 60 nodes, 144 tetrahedra" slab slab_small.msh --size 2mm,1.5mm,1mm --spacing 0.5mm
expect 0 "sheet_small.pts: 35 nodes, 48 triangles" sheet sheet_small.pts --size 3mm,2mm --spacing 0.5mm
for file in slab_small.msh sheet_small.pts sheet_small.elem; do
    cmp $file "$source/meshes/$file" || failed=1
done

# Round the formats and back: the same bytes.
expect 0 "60 nodes" convert slab_small.msh a.pts.gz --scale 1mm
expect 0 "60 nodes" convert a.elem.gz b.ele
expect 0 "60 nodes" convert b c.vtkhdf --scale=1mm
expect 0 "60 nodes" convert c.vtkhdf d.msh
cmp slab_small.msh d.msh || failed=1

expect 0 "volume     3 mm^3" info slab_small.msh --scale 1mm
expect 0 "1152 tetrahedra" refine slab_small.msh fine.msh.gz --scale 1mm
expect 0 "volume     3 mm^3" info fine.msh.gz --scale 1mm
expect 0 "3 nodes, 2 lines" cable cable.edge --size 1mm --spacing 0.5mm
expect 0 "9 nodes, 8 lines" refine cable cable.edge --scale 2mm --times 2 --overwrite
expect 0 "length     2 mm" info cable.edge --scale 1mm
# a list of nodes follows: its own, and the middles of edges between two of them; nothing of somebody else's is replaced
printf '3\nintra\n0\n1\n2\n' > ends.vtx
expect 0 "3 nodes, 2 lines" cable three.vtk --size 1mm --spacing 0.5mm
expect 0 "9 nodes, 8 lines" refine three.vtk finer.vtk --scale 1mm --times 2 --lists ends.vtx
[ "$(tr '\n' ' ' < finer_ends.vtx)" = "9 intra 0 1 2 3 4 5 6 7 8 " ] || { cat finer_ends.vtx; failed=1; }
echo 2 > last.txt && echo mine > fine2_last.txt
expect 2 "fine2_last.txt exists" refine three.vtk fine2.vtk --scale 1mm --lists last.txt
[ "$(cat fine2_last.txt)" = mine ] || failed=1

expect 2 "mesh needs a command"
expect 0 "convert a mesh to another format" --help
expect 0 "Usage: cardiac mesh refine" refine --help
expect 2 "(did you mean 'slab'?)" slap
expect 2 "(did you mean '--spacing'?)" slab x.msh --size 1mm,1mm,1mm --spacin 1mm
expect 2 "have no unit of length" info slab_small.msh
expect 2 "--overwrite replaces it" slab slab_small.msh --size 1mm,1mm,1mm --spacing 1mm
expect 2 "the nearest is 2 mm" cable x.msh --size 1.9mm --spacing 0.5mm
expect 2 "--size must be 2 lengths" sheet x.msh --size 1mm --spacing 0.5mm
expect 2 "--spacing is missing" sheet x.msh --size 1mm,1mm
expect 2 "--scale" info slab_small.msh --scale 1ms
expect 2 "unknown mesh format" slab x.stl --size 1mm,1mm,1mm --spacing 1mm
expect 2 "at most 2147483647" slab x.msh --size 1m,1m,1m --spacing 10um
[ -e x.msh ] && echo "a refused mesh was written" && failed=1

expect 2 "1.66e+20 elements; at most 2147483647 are possible" refine slab_small.msh x.msh --scale 1mm --times 20

# A heart: its marked faces go through formats and refinement; coordinates and fibres of it
expect 0 "951 nodes" ellipsoid heart.msh --size 7mm,17mm,3mm --edge 2mm
expect 0 "tetrahedra" convert heart.msh a.ele --scale 1mm --overwrite
expect 0 "tetrahedra" convert a.ele heart2.msh.gz --scale 1mm
gunzip heart2.msh.gz && sed '/^.PhysicalNames/,/^.EndPhysicalNames/d' heart.msh | cmp - heart2.msh || failed=1
expect 0 "tetrahedra" convert heart.msh carp.pts --scale 1mm
expect 0 "tetrahedra" convert carp.pts heart3.msh && cmp heart2.msh heart3.msh || failed=1
expect 0 "cannot store the name base, the name epi, the name lv" convert heart.msh x.node --scale 1mm
rm x.node x.ele x.face
faces=$("$cardiac" mesh info heart.msh --scale 1mm | sed -n 's/.*mark 2 (epi): \([0-9]*\) triangles/\1/p')
expect 0 "tetrahedra" refine heart.msh finer.msh --scale 1mm
expect 0 "mark 2 (epi): $((4 * faces)) triangles" info finer.msh --scale 1mm
"$cardiac" mesh info finer.msh --scale 1mm | grep "left out" && failed=1
expect 0 "heart.vtkhdf: 951 nodes, transmural, apicobasal, distance_base, distance_epi, distance_lv, distance_apex" coordinates heart.msh heart.vtkhdf --scale 1mm
grep "electrodes" out && failed=1 # no right ventricle to turn it by
expect 0 "3196 nodes, transmural, apicobasal, interventricular, rotational, aha, distance_base" \
    coordinates "$source/meshes/heart.msh.gz" both.vtkhdf --scale 1mm --base 1 --epi 2 --lv 3 --rv 4
expect 0 "rotational, at nodes" info both.vtkhdf
# Its coordinates are arrays, which go from format to format, and may be tags or directions
expect 0 "transmural, at nodes" info heart.vtkhdf
expect 0 ", the array apicobasal, the array distance_apex" convert heart.vtkhdf arrays.pts
expect 0 "tetrahedra" convert heart.vtkhdf arrays.msh
expect 0 "apicobasal, at nodes" info arrays.msh --scale 1mm
expect 2 "'transmural' is at nodes; tags must be at elements" info arrays.msh --scale 1mm --tags transmural
# .vtkhdf holds the faces and their names: through it the same file comes back, and refined, the same finer mesh
expect 0 "tetrahedra" convert heart.msh faces.vtkhdf --scale 1mm
expect 0 "mark 2 (epi): $faces triangles" info faces.vtkhdf
expect 0 "tetrahedra" convert faces.vtkhdf back.msh && cmp heart.msh back.msh || failed=1
expect 0 "tetrahedra" refine faces.vtkhdf finer.vtkhdf
expect 0 "tetrahedra" convert finer.vtkhdf back.msh --overwrite && cmp finer.msh back.msh || failed=1
expect 0 "tetrahedra" extract heart.msh top.msh --scale 1mm --where 'z > -8 mm'
expect 0 "tetrahedra" extract faces.vtkhdf top.vtkhdf --where 'z > -8 mm'
expect 0 "tetrahedra" convert top.vtkhdf back.msh --overwrite && cmp top.msh back.msh || failed=1
grep -q '^2 2 "epi"' top.msh || { echo "no names in a part"; failed=1; }
grep "no place" out && failed=1
# A run with fibres by rule between these faces: the same bits from either file
cat >rule.yaml <<'END'
version: 1
mesh: {file: finer.vtkhdf, surfaces: {base: base, epi: epi, lv: lv}}
tissue:
  surface_to_volume: 1400 /cm
  fibers: {rule: ldrb, fiber: [60 deg, -60 deg], sheet: [-65 deg, 25 deg]}
  regions: [{model: mitchell-schaeffer, conductivity: {longitudinal: 0.6 S/m, transverse: 0.1 S/m}}]
stimuli: [{sphere: {centre: [0 mm, 0 mm, -18 mm], radius: 4 mm}, duration: 2 ms, current: 60 uA/uF}]
time: {end: 3 ms, step: 50 us}
solver: {precision: double}
output: {every: 1 ms}
END
"$cardiac" run rule.yaml --quiet --output out1 >out 2>&1 || { cat out; failed=1; }
expect 0 "tetrahedra" convert finer.msh finer.vtu --scale 1mm
"$cardiac" run rule.yaml --quiet --output out2 --set mesh.file=finer.vtu --set mesh.scale=1mm --set mesh.surfaces.base=1 \
    --set mesh.surfaces.epi=2 --set mesh.surfaces.lv=3 >out 2>&1 || { cat out; failed=1; }
"$cardiac" compare out1/run.vtkhdf out2/run.vtkhdf >out 2>&1 || { cat out; failed=1; }
expect 0 "epi   " coordinates heart.msh marks.vtkhdf --scale 1mm --base 1 --epi 2 --lv 3
expect 2 "--overwrite replaces it" coordinates heart.msh heart.vtkhdf --scale 1mm
expect 2 "coordinates are written to .vtkhdf" coordinates heart.msh heart.msh --scale 1mm
expect 2 "no face of the mesh has mark 4 (rv); it has the marks 1, 2, 3" coordinates heart.msh x.vtkhdf --scale 1mm --rv 4
expect 0 "epi   " coordinates heart.msh marks.vtkhdf --scale 1mm --overwrite --base base --epi epi --lv 3
expect 2 "lv: 4294967299 is not the mark of a face" coordinates heart.msh x.vtkhdf --scale 1mm --lv 4294967299
expect 2 "the mesh has no surface 'rv'; surfaces found: base, epi, lv" coordinates heart.msh x.vtkhdf --scale 1mm --rv rv

# Regions and surfaces by name: a physical group of Gmsh, openCARP's surfaces by their files
sed 's/^\$Nodes/$PhysicalNames\n2\n3 0 "wall"\n3 7 "septum"\n$EndPhysicalNames\n&/' heart2.msh >names.msh
grep -q '^\$PhysicalNames' names.msh || failed=1
expect 0 "tag 0 (wall): 3636 tetrahedra" info names.msh --scale 1mm
sed 's/regions:/&\n    - {model: passive, tags: [wall], conductivity: {longitudinal: 0.6 S\/m, transverse: 0.3 S\/m}}/;/- model/,/conductivity/d
    /probes:/d;s/file:.*/file: names.msh/;s/base: 1/base: base/;s/, rv: 4//;s/fields: .*/fields: [V]/' "$source/configs/heart.yaml" >named.yaml
"$cardiac" check named.yaml >out 2>&1 && echo "a surface without a name was found" && failed=1
grep -q "mesh has no surface 'base'; surfaces found: none" out || { cat out; failed=1; }
sed -i 's/base: base/base: 1/' named.yaml
"$cardiac" check named.yaml >out 2>&1 && grep -q "region 0: passive, 3636 elements" out || { cat out; failed=1; }
sed -i 's/wall/atrium/' named.yaml
"$cardiac" check named.yaml >out 2>&1 && echo "a region without a name was found" && failed=1
grep -q "mesh has no region 'atrium'; its regions: wall, septum" out || { cat out; failed=1; }
{ echo 2; sed -n 2,3p carp.surf | awk '{ print $1, $2, $3, $4 }'; } >carp.inner.surf
expect 0 "mark 4 (inner): 2 triangles" info carp.pts
expect 2 "the boundary has 0 parts" coordinates slab_small.msh x.vtkhdf --scale 1mm
expect 0 "951 nodes" fibers heart.msh fibers.msh --scale 1mm --fiber 60deg,-60deg
expect 0 "fibres     one per element, with sheet directions" info fibers.msh --scale 1mm
expect 0 "sheetless.pts: " slab sheetless.pts --size 2mm,1mm,1mm --spacing 1mm
awk 'NR == 1 { print 2; n = $1 } END { while (n--) print "1 0 0 0 0 0" }' sheetless.elem >sheetless.lon # room for sheets, and none
expect 0 "fibres     one per element" info sheetless.pts
grep -q "sheet directions" out && cat out && failed=1
expect 2 "fibres by rule need the surface epi" fibers heart.msh x.msh --scale 1mm --base 1 --lv 3
expect 2 "--fiber must be two angles" fibers heart.msh x.msh --scale 1mm --fiber 60deg
expect 2 "nosuch.vtx" fibers heart.msh x.msh --scale 1mm --base nosuch.vtx
expect 2 "at most 3.5 mm" ellipsoid x.msh --size 7mm,17mm,3mm --edge 4mm

# Parts, boundaries, edges and angles
expect 0 "660 nodes, 1316 triangles" surface heart.msh skin.vtu --scale 1mm
expect 0 "tag 2: 606 triangles" info skin.vtu --scale 1mm
expect 2 "the mesh has no boundary" surface skin.vtu x.vtu --scale 1mm
expect 0 "144 tetrahedra" convert slab_small.msh tagged.vtk --scale 1mm
expect 2 "--regions or --where is missing" extract tagged.vtk x.vtu --scale 1mm
expect 2 "no variable is named 'transmurl' (did you mean 'transmural'?)" extract tagged.vtk x.vtu --scale 1mm --where 'transmurl < 1'
expect 2 "(at '< 5')" extract tagged.vtk x.vtu --scale 1mm --where 'x < 5'
expect 2 "the condition holds in no element" extract tagged.vtk x.vtu --scale 1mm --where 'x > 5 mm'
expect 2 "no element of the mesh has tag 3" extract tagged.vtk x.vtu --scale 1mm --regions 0,3
expect 2 "the mesh has no region 'septum'; its regions: none" extract tagged.vtk x.vtu --scale 1mm --regions septum
expect 0 "60 nodes, 144 tetrahedra" extract tagged.vtk part.vtu --scale 1mm --regions 0
expect 0 "36 nodes, 72 tetrahedra" extract tagged.vtk half.vtu --scale 1mm --regions 0 --where 'x < 1 mm'
expect 0 "951 nodes, 3636 tetrahedra" extract names.msh wall.msh --scale 1mm --regions wall
expect 0 "mean edge 1.044 mm" refine heart.msh short.msh --scale 1mm --edge 1.2mm
expect 0 "951 nodes" refine heart.msh same.msh --scale 1mm --edge 3mm
expect 2 "--times cannot be combined with --edge" refine heart.msh x.msh --scale 1mm --edge 1mm --times 2
expect 2 "elements; at most 2147483647 are possible" refine heart.msh x.msh --scale 1mm --edge 1um
expect 0 "0 under 5, 0 under 10, 0 under 20, 0 under 30 degrees" info slab_small.msh --scale 1mm
[ -e x.vtu ] && echo "a refused mesh was written" && failed=1

# Lines of a tree and those that join two sheets are tissue, never dropped as loose; a run needs their cross-sections
awk 'NR == 1 { print 48; next } { print; z[NR] = $0 } END { split(z[2], p); for (i = 0; i < 3; i++) print -p[1] - 900 * i, 0, 500; for (i = 0; i < 10; i++) print 300 * i, 0, 900 }' sheet_small.pts >tree.pts
{ echo 57; tail -n +2 sheet_small.elem; for i in 38 39 40 41 42 43 44 45 46; do echo "Ln $i $((i + 1)) $((i % 3 + 5))"; done; } >tree.elem
expect 2 "3 nodes of no element" info tree.elem
expect 0 "45 nodes, 48 triangles, 9 lines" repair tree.elem tree.vtu --drop-loose
expect 0 "tag 5: 3 lines, 0.9 mm" info tree.vtu --scale 1mm
expect 2 "a mesh with elements of several dimensions cannot be split" refine tree.vtu x.vtu --scale 1mm
# a named line along an edge of tetrahedra is a mark: no command that writes a mesh drops it
cat > embedded.msh <<'EOF'
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
1 9 "bundle"
3 7 "muscle"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
2
1 1 2 9 1 2 4
2 4 2 7 1 1 2 3 4
$EndElements
EOF
expect 0 "converted.msh: 4 nodes, 1 tetrahedra, 1 lines" convert embedded.msh converted.msh --scale 1mm
expect 0 "refined.msh: 10 nodes, 8 tetrahedra, 2 lines" refine converted.msh refined.msh --scale 1mm
grep -q '1 9 "bundle"' refined.msh && [ "$(grep -c '^[0-9]* 1 [0-9]* 9 ' refined.msh)" = 2 ] || { cat refined.msh; failed=1; }
expect 0 "bundle.vtu: 3 nodes, 2 lines" extract refined.msh bundle.vtu --scale 1mm --regions bundle
expect 0 "20 nodes, 20 lines" surface tree.vtu edge.vtu --scale 1mm
expect 0 "6 nodes, 3 lines" extract tree.vtu branch.vtu --scale 1mm --regions 5
cat >tree.yaml <<'END'
version: 1
mesh: {file: tree.vtu, scale: 1 mm}
tissue: {surface_to_volume: 1400 /cm, regions: [{model: mitchell-schaeffer, conductivity: {longitudinal: 0.1 S/m, transverse: 0.1 S/m}}]}
stimuli: [{box: {min: [0, 0, 0], max: [1 mm, 1 mm, 1 mm]}, duration: 1 ms, current: 100 uA/uF}]
time: {end: 1 ms, step: 50 us}
output: {every: 1 ms}
END
for command in check "run --quiet --output x"; do
    "$cardiac" $command tree.yaml >out 2>&1
    [ $? = 2 ] && grep -qF "9 lines (tag 5, tag 6, tag 7) need a radius" out && grep -qF "48 triangles (tag 0) need thickness" out || { echo "$command:"; cat out; failed=1; }
done
awk 'NR == 1 { print 70; next } { print; p[NR] = $1 " " $2 " " $3 + 300 } END { for (i = 2; i <= NR; i++) print p[i] }' sheet_small.pts >two.pts
awk 'NR == 1 { print 131; next } { print; t[NR] = "Tr " $2 + 35 " " $3 + 35 " " $4 + 35 " " 1 }
    END { for (i = 2; i <= NR; i++) print t[i]; for (i = 0; i < 35; i++) print "Ln", i, i + 35, 9 }' sheet_small.elem >two.elem
expect 0 "tag 9: 35 lines, 10.5 mm" info two.pts
expect 0 "9 lines removed: not a side of any element" repair tree.elem bare.vtu --drop-loose --drop-stray
expect 0 "nodes      35" info bare.vtu --scale 1mm
[ -e x.vtu ] && echo "a mesh without its lines was written" && failed=1

# As others write: cells of openCARP in either order of their upper nodes, sections of VTK in any order, headers of TetGen with 0 for the default
printf '8\n0 0 0\n2000 0 0\n2000 1000 0\n0 1000 0\n0 0 1000\n2000 0 1000\n2000 1000 1000\n0 1000 1000\n' >hexa.pts
for upper in "4 5 6 7" "4 7 6 5"; do
    echo "1
Hx 0 1 2 3 $upper 1" >hexa.elem
    expect 0 "volume     2 mm^3" info hexa.elem
done
cp hexa.pts prism.pts
for upper in "4 5 6;4 6 7" "4 6 5;4 7 6"; do
    echo "2
Pr 0 1 2 ${upper%;*} 1
Pr 0 2 3 ${upper#*;} 1" >prism.elem
    expect 0 "volume     2 mm^3" info prism.elem
done
printf '1\n1 0 0\n0 0 0\n' >prism.lon
expect 0 "fibres     one per element, 3 of them zero" info prism.elem
printf '1\n0 0 0\n0 0 0\n' >prism.lon
expect 0 "fibres     none: all are zero" info prism.elem
vtk() { printf '# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n'; }
points='POINTS 4 float\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n'
{ vtk; printf "CELL_TYPES 1\n10\nCELLS 1 5\n4 0 1 2 3\n$points"; } >orders.vtk
expect 0 "volume     0.166666667 mm^3" info orders.vtk --scale 1mm
{ vtk; printf "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n$points"; } >orders.vtk
expect 2 "orders.vtk: a cell has the node 4 of 4" info orders.vtk --scale 1mm
printf '4 0 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n' >zero.node
printf '1 0 0\n0 0 1 2 3\n' >zero.ele
expect 0 "volume     0.166666667 mm^3" info zero --scale 1mm
# a column that the header has none of is ignored, as TetGen ignores it
printf '4 3 0 0\n0 0 0 0 1\n1 1 0 0 1\n2 0 1 0 1\n3 0 0 1 0\n' >zero.node
printf '1 4 0 0\n0 0 1 2 3\n' >zero.ele
expect 0 "volume     0.166666667 mm^3" info zero --scale 1mm
printf '4 3 0 1\n0 0 0 0 1 1\n1 1 0 0 1 1\n2 0 1 0 1 1\n3 0 0 1 0 1\n' >zero.node
expect 2 "zero.node:2:11: " info zero --scale 1mm
printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$ParametricNodes\n4\n1 0 0 0 0 1\n2 1 0 0 1 1 0.5\n3 0 1 0 2 1 0.5 0.5\n4 0 0 1 3 1\n$EndParametricNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n' >parametric.msh
expect 0 "volume     0.166666667 mm^3" info parametric.msh --scale 1mm
# a named line along an edge of a tetrahedron is tissue; without a name it is left out
printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 9 "purkinje"\n3 7 "muscle"\n$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n2\n1 1 2 9 1 1 2\n2 4 2 7 1 1 2 3 4\n$EndElements\n' >embedded.msh
expect 0 "tag 9 (purkinje): 1 lines" info embedded.msh --scale 1mm
sed 's/^1 9 "purkinje"/1 8 "other"/' embedded.msh >nameless.msh
expect 0 "1 lines of the file left out: not tissue: tag 9 (1)" info nameless.msh --scale 1mm
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7324\n' >pointer.vtu
expect 2 '`git lfs pull` in its repository fetches it' info pointer.vtu --scale 1mm
# texts as other programs and editors write them: CR LF, tabs, blank lines, blanks at the end; and keywords in lower case, versions of one layout
expect 0 "96 tetrahedra" slab v.msh --size 2mm,1mm,1mm --spacing 0.5mm
expect 0 "96 tetrahedra" convert v.msh v.node --scale 1mm
expect 0 "96 tetrahedra" convert v.msh v.pts --scale 1mm
awk 'FILENAME ~ /pts/ && FNR > 1 { point[++n] = $1 / 1000 " " $2 / 1000 " " $3 / 1000 } FILENAME ~ /elem/ && FNR > 1 { cell[++m] = "4 " $2 " " $3 " " $4 " " $5 }
    END { print "# vtk DataFile Version 3.0\ntext\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS " n " double"; for (i = 1; i <= n; i++) print point[i]
    print "CELLS " m " " 5 * m; for (i = 1; i <= m; i++) print cell[i]; print "CELL_TYPES " m; for (i = 1; i <= m; i++) print 10 }' v.pts v.elem >v.vtk
tab=$(printf '\t')
cr=$(printf '\r')
for how in "s/\$/$cr/" "/^[0-9T -]*\$/s/ /$tab/g" 's/$/  /' '/^[0-9T]/s/^/ /' '/^\$End/a\
\
'; do
    for f in v.msh v.vtk v.node v.ele v.pts v.elem; do sed "$how" $f >other_$f; done
    for f in v.msh v.vtk v.node; do expect 0 "volume     2 mm^3" info other_$f --scale 1mm; done
    expect 0 "volume     2 mm^3" info other_v.pts
done
sed 's/^\([A-Z_]*\)\( .*\)*$/\L\1\E\2/; s/UNSTRUCTURED_GRID/unstructured_grid/' v.vtk >other_v.vtk
grep -q '^cell_types' other_v.vtk || failed=1
expect 0 "volume     2 mm^3" info other_v.vtk --scale 1mm
for version in 2 2.0 2.1; do
    sed "s/^2.2 0 8/$version 0 8/" v.msh >other_v.msh
    expect 0 "volume     2 mm^3" info other_v.msh --scale 1mm
done
sed 's/^2.2 0 8/4.0 0 8/' v.msh >other_v.msh
expect 2 "version '4.0' of the Gmsh format cannot be read; \`gmsh IN" info other_v.msh --scale 1mm
# ghost cells of a piece go, with the nodes that only these have, and are said
printf '# vtk DataFile Version 3.0\nghosts\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n9 9 9\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\nCELLS 3 15\n4 0 2 3 4\n4 1 2 3 4\n4 2 3 4 5\nCELL_TYPES 3\n10\n10\n10\nCELL_DATA 3\nSCALARS vtkGhostType unsigned_char 1\nLOOKUP_TABLE default\n1\n0\n32\nSCALARS region int 1\nLOOKUP_TABLE default\n5\n6\n7\nPOINT_DATA 6\nSCALARS at double 1\nLOOKUP_TABLE default\n0\n1\n2\n3\n4\n5\n' >ghosts.vtk
expect 0 "not used: 2 ghost cells (vtkGhostType)" info ghosts.vtk --scale 1mm
grep -q "nodes      4" out && grep -q "tag 6: 1 tetrahedra, 0.166666667 mm^3" out || { cat out; failed=1; }
expect 0 "4 nodes, 1 tetrahedra" convert ghosts.vtk ghosts.vtu --scale 1mm
printf 'x:4 y:1 z:1 t:1 type:float systeme:little_endian%*s' 976 '' >vm.igb
expect 2 "meshes are not read from .igb; it holds openCARP's values at nodes or elements" info vm.igb --scale 1mm
touch heart.pvtu heart.stl heart.unv
expect 2 "meshes are not read from .pvtu; \`python3 -c" info heart.pvtu --scale 1mm
expect 2 "meshes are not read from .stl; \`meshio convert IN OUT.vtu\`" info heart.stl --scale 1mm
printf 'MFEM mesh v1.0\n\ndimension\n3\n\nelements\n1\n1 4 0 1 2 3\n\nboundary\n0\n\nvertices\n4\n3\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n' >heart.mesh
expect 2 "writes OUT.vtu (pip install mfem)" info heart.mesh --scale 1mm
expect 2 "meshes are not read from .unv; \`gmsh IN" info heart.unv --scale 1mm

# Loose nodes: refused, then mended.
printf '5 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 9 9 9\n' >loose.node
printf '1 4\n0 0 1 3 2\n' >loose.ele
expect 2 "--drop-loose" convert loose good.msh --scale 1mm
expect 0 "1 loose node dropped" repair loose good.msh --scale 1mm --drop-loose
expect 0 "nodes      4" info good.msh --scale 1mm
expect 0 "1 tetrahedron with a negative volume turned" repair loose good.msh --scale 1mm --drop-loose --overwrite

# Faults are found with their places and named options; nothing is written without one; lists of nodes follow
cat >faults.vtk <<'END'
# vtk DataFile Version 3.0
x
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 8 double
0 0 0
1 0 0
0 1 0
1 1 0
1 1 0.0000001
2 0 0
2 1 0
5 5 5
CELLS 5 20
3 0 1 2
3 1 3 2
3 2 3 1
3 1 5 4
3 5 6 4
CELL_TYPES 5
5
5
5
5
5
END
expect 0 "1 element given twice, the first element 2 with the nodes of element 1 (counted from 0); \`cardiac mesh repair IN OUT --drop-duplicates\` keeps one of each" repair faults.vtk --scale 1mm
expect 0 "the first is at (5, 5, 5) mm" repair faults.vtk x.vtu --scale 1mm
[ -e x.vtu ] && echo "a report wrote a mesh" && failed=1
expect 2 "1 node of no element, the first node 7" info faults.vtk --scale 1mm
expect 2 "OUT is missing" repair faults.vtk --scale 1mm --drop-loose
expect 2 "--merge 0.8mm: more than half of the mean edge" repair faults.vtk x.vtu --scale 1mm --merge 0.8mm
printf '3\nintra\n7\n4\n3\n' >S1.vtx
printf '4\n99\n' >other.txt
expect 0 "mended_S1.vtx: 1 nodes, of 3 in S1.vtx" repair faults.vtk mended.vtu --scale 1mm --merge 1um --drop-duplicates --drop-loose --lists S1.vtx
printf '1\nintra\n3\n' | cmp - mended_S1.vtx || failed=1
expect 0 "old_node, at nodes" info mended.vtu --scale 1mm
expect 0 "nothing to mend by these options" repair mended.vtu again.vtu --scale 1mm --merge 1um --drop-duplicates --drop-loose
cmp mended.vtu again.vtu || { echo "repair is not idempotent"; failed=1; }
expect 2 "other.txt:2:3: node 99 does not exist; the mesh has nodes 0 to 7" repair faults.vtk more.vtu --scale 1mm --merge 1um --lists other.txt
[ -e more.vtu ] && echo "a mesh was written beside a wrong list" && failed=1
exit $failed
