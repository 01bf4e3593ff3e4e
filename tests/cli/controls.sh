#!/bin/bash
# controls.sh CARDIAC: ESC, BEL and others in the names of meshes, arrays, parameter files and configs never reach the terminal, and
# nothing that a spreadsheet would compute stands in a table.
. "$(dirname "$0")/../support/run_helpers.sh"
esc=$'\x1b]0;title\x07'
clean() { # clean COMMAND...: whatever it ends with, no control character but newline and tab is printed
    timeout 100 "$@" > said 2>&1; got=$?
    [ $got -lt 128 ] || fail "status $got: $*"
    [ -s said ] || fail "nothing is printed: $*"
    LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]' said && { cat -v said; fail "controls from: $*"; }
}
"$cardiac" mesh slab box.vtk --size 1mm,1mm,1mm --spacing 0.5mm > said && "$cardiac" mesh convert box.vtk box.msh --scale 1mm > said && "$cardiac" mesh convert box.vtk box.vtu --scale 1mm > said || fail "meshes"
sed "s/\$EndMeshFormat/&\n\$PhysicalNames\n1\n3 1 \"a${esc}b\"\n\$EndPhysicalNames/" box.msh > names.msh
LC_ALL=C sed "s/region/re${esc}gion/" box.vtk > names.vtk
sed "s/Name=\"region\"/Name=\"re${esc}gion\"/" box.vtu > names.vtu
for mesh in names.msh names.vtk names.vtu; do
    clean "$cardiac" mesh info $mesh --scale 1mm
    clean "$cardiac" mesh convert $mesh out.pts --scale 1mm --overwrite
    clean "$cardiac" mesh surface $mesh out.msh --scale 1mm --overwrite
    clean "$cardiac" mesh refine $mesh out.pts --scale 1mm --overwrite
done
clean "$cardiac" mesh info "no${esc}such.msh"
cat > a.yaml <<EOT2
version: 1
title: "a\e]0;t\ab"
mesh: {cable: {length: 5 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: mitchell-schaeffer, conductivity: 0.133 S/m}]}
stimuli: [{name: "S\e[1m1", sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA/uF}]
time: {end: 8 ms, step: 0.02 ms}
output: {directory: a, every: 0.5 ms, probes: {"e\ecnd": [5 mm, 0 mm, 0 mm], "=2+5": [1 mm, 0 mm, 0 mm]}}
EOT2
for command in "check a.yaml" "check a.yaml --json" "run a.yaml" "info a/run.vtkhdf" "info a/run.vtkhdf --config" "compare a/run.vtkhdf a/run.vtkhdf" "run a.yaml --json --overwrite"; do
    clean "$cardiac" $command
done
printf 'title\nb\x1b[2J\n' > rows.csv
clean "$cardiac" sweep a.yaml --table rows.csv --output s
printf 'title,time.step\n=2+5,0.02 ms\n-3,0.01 ms\nb,0.005 ms\n' > rows.csv
expect 0 "" "$cardiac" sweep a.yaml --table rows.csv --output s --quiet
for table in s/table.csv a/probes.csv a/beats.csv; do
    grep -Eq "(^|,)\"?[=@]" $table && { cat $table; fail "$table: a formula"; }
    LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]' $table && fail "$table: a control character"
done
grep -q ",'=2+5," s/table.csv && grep -q ",-3," s/table.csv || fail "$(cat s/table.csv)"
printf 'tend = 5\nbogus_%s = 3\nmeshname = m%s\n' "$esc" "$esc" > p.par
clean "$cardiac" import p.par
python3 -c "import h5py" 2> /dev/null || { echo "no h5py: names in a result are not tested: skipped"; exit 77; }
python3 -c "import h5py; file = h5py.File('a/run.vtkhdf', 'r+'); file['VTKHDF/PointData'].move('activation_time', 'a\x1b]0;t\x07b')"
clean "$cardiac" info a/run.vtkhdf
clean "$cardiac" compare a/run.vtkhdf a/run.vtkhdf
echo "controls: passed"
