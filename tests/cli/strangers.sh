#!/bin/bash
# strangers.sh CARDIAC: no command replaces, cuts or removes a file that the program did not make, and no output replaces an input:
# every command that writes, in a folder where every name that it uses is somebody else's file.
. "$(dirname "$0")/../support/run_helpers.sh"

cat > a.yaml <<'EOT2'
version: 1
mesh: {cable: {length: 5 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: mitchell-schaeffer, conductivity: 0.133 S/m}]}
stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA/uF, count: 2, period: 300 ms}]
time: {end: 320 ms, step: 0.05 ms}
activation: {beats: 2}
induction: {sites: {end: [5 mm, 0 mm, 0 mm]}, from: 250 ms, to: 240 ms, by: 10 ms, extra: 1, sustained: 100 ms}
output: {directory: a, every: 10 ms, probes: {end: [5 mm, 0 mm, 0 mm]}}
checkpoint: {every: 100 ms, keep: 1}
EOT2
printf 'time.step\n0.05 ms\n' > rows.csv
quiet() { "$@" > said 2>&1 || { cat said; fail "$*"; }; }
quiet "$cardiac" run a.yaml
quiet "$cardiac" bundle a bundle
quiet "$cardiac" mesh slab box.msh --size 1mm,1mm,1mm --spacing 0.5mm
quiet "$cardiac" mesh ellipsoid heart.msh --size 10mm,25mm,8mm --edge 5mm

run_names="run.log run.vtkhdf run.vtkhdf.new run.vtkhdf.journal run.vtkhdf.new.journal run.xdmf run.xdmf.tmp probes.csv beats.csv ecg.csv
    checkpoint-2000.h5 checkpoint-4000.h5.tmp run.lock"
# A folder s with a stranger's files of these names, of which the last line has no end
strangers() { rm -rf s; mkdir s; for name in "$@"; do printf 'my notes\nand figures' > "s/$name"; done; }
unharmed() {
    for name in $names; do
        found=s/$name.broken # where a result that cannot be read is kept
        [ -e "$found" ] || found=s/$name
        printf 'my notes\nand figures' | cmp -s - "$found" || { cat said; fail "$*: s/$name was changed"; }
    done
}
walk() { # walk NAMES COMMAND...: all at once, then one by one, which is the same code with the same bytes
    local all=$1 one_by_one=$1; shift
    [ ! $sanitized ] || one_by_one=
    for names in "$all" $one_by_one; do
        strangers $names
        timeout 100 "$@" > said 2>&1; got=$?
        [ $got = 0 ] || [ $got = 2 ] || { cat said; fail "status $got with $names: $*"; }
        [ "$names" != "$all" ] || [ $got = 2 ] || { cat said; fail "status $got: $*"; }
        unharmed "$*"
    done
}
walk "$run_names" "$cardiac" run a.yaml --output s
walk "$run_names" "$cardiac" run a.yaml --output s --resume
walk "$run_names results.csv" "$cardiac" run bundle --output s
walk "table.csv" "$cardiac" sweep a.yaml --table rows.csv --output s
walk "table.csv" "$cardiac" sweep a.yaml --table rows.csv --output s --results
walk "table-1-of-1.csv" "$cardiac" sweep a.yaml --table rows.csv --output s --part 1/1
walk "table.csv vulnerability.vtkhdf site-1-250.vtkhdf" "$cardiac" induce a.yaml --output s
walk "table-1-of-1.csv vulnerability-1-of-1.vtkhdf site-1-250.vtkhdf report-1-of-1.html" "$cardiac" induce a.yaml --output s --results --part 1/1
walk "table.csv runs.csv converge.txt converge.html" "$cardiac" converge a.yaml --fixed-mesh --output s
walk "out.csv" "$cardiac" cell mitchell-schaeffer --output s/out.csv
walk "out.csv" "$cardiac" cell mitchell-schaeffer --s1 300 --s2 250:240:10 --output s/out.csv
walk "out.yaml" "$cardiac" cell mitchell-schaeffer --save s/out.yaml
walk "out.csv" "$cardiac" restitution a.yaml --s2 250:240:10ms --output s/out.csv
walk "config.yaml SHA256SUMS results.csv" "$cardiac" bundle a s
for to in out.msh out.msh.gz out.vtk out.vtu out.vtkhdf "out.pts out.elem out.lon"; do
    walk "$to" "$cardiac" mesh convert box.msh "s/${to%% *}" --scale 1mm
    walk "$to" "$cardiac" mesh slab "s/${to%% *}" --size 1mm,1mm,1mm --spacing 0.5mm
    walk "$to" "$cardiac" mesh surface box.msh "s/${to%% *}" --scale 1mm
    walk "$to" "$cardiac" mesh refine box.msh "s/${to%% *}" --scale 1mm
    walk "$to" "$cardiac" mesh extract box.msh "s/${to%% *}" --scale 1mm --where "x < 0.6 mm"
    walk "$to" "$cardiac" mesh fibers heart.msh "s/${to%% *}" --scale 1mm --base 1 --epi 2 --endo 3
done
walk "out.vtkhdf" "$cardiac" mesh coordinates heart.msh s/out.vtkhdf --scale 1mm --base 1 --epi 2 --endo 3
names=out.vtkhdf.journal; strangers $names # beside a mesh that is written
quiet "$cardiac" mesh convert box.msh s/out.vtkhdf --scale 1mm; unharmed "a journal"

# A stranger's HDF5 file is kept when the checkpoints of a run are removed
"$cardiac" mesh cable other.vtkhdf --size 5mm --spacing 1mm > said
rm -rf s; mkdir s; cp a/run.* a/probes.csv a/beats.csv a/checkpoint-* s; cp other.vtkhdf s/checkpoint-1000.h5
quiet "$cardiac" run a.yaml --output s --resume --set time.end=520ms
cmp s/checkpoint-1000.h5 other.vtkhdf || fail "a resume removed a stranger's checkpoint-1000.h5"
[ ! -e s/checkpoint-6000.h5 ] || fail "a resume kept an old checkpoint"

# What the program made is replaced, or continued
without_pages
for command in "cell mitchell-schaeffer --output o.csv" "cell mitchell-schaeffer --save o.yaml" \
    "restitution a.yaml --s2 250:240:10ms --output r.csv" "induce a.yaml --output i" "converge a.yaml --fixed-mesh --output c"; do
    quiet "$cardiac" $command
    expect 0 "" "$cardiac" $command
done
for k in 1 2; do expect 0 "the same bits" "$cardiac" run bundle --output b --overwrite; done
for left in run.log run.xdmf beats.csv; do # of a run whose results were removed
    rm -rf l; mkdir l; cp a/$left l
    expect 0 "" "$cardiac" run a.yaml --output l
done

# An output that is an input
before() { sha256sum "$1" > before; }
input() { sha256sum --status -c before || fail "$1 was changed"; }
mkdir d; cp rows.csv d/table.csv; before d/table.csv
expect 2 "--table: the output would replace d/table.csv" "$cardiac" sweep a.yaml --table d/table.csv --output d --overwrite; input d/table.csv
mkdir n; "$cardiac" mesh cable n/run.vtkhdf --size 5mm --spacing 0.25mm > said; before n/run.vtkhdf
sed 's|mesh:.*|mesh: {file: n/run.vtkhdf}|' a.yaml > file.yaml
expect 2 "mesh.file: the output would replace n/run.vtkhdf" "$cardiac" run file.yaml --output n --overwrite; input n/run.vtkhdf
echo 0 > n/table.csv; before n/table.csv
sed 's|sphere: {.*1 mm}, dur|nodes: n/table.csv, dur|' a.yaml > nodes.yaml
for study in "sweep nodes.yaml --table rows.csv" "induce nodes.yaml"; do
    expect 2 "the output would replace n/table.csv" "$cardiac" $study --output n --overwrite
    input n/table.csv
done
cp n/table.csv n/converge.txt; sed -i 's|n/table.csv|n/converge.txt|' nodes.yaml; before n/converge.txt
expect 2 "the output would replace n/converge.txt" "$cardiac" converge nodes.yaml --fixed-mesh --output n --overwrite; input n/converge.txt
before nodes.yaml; expect 2 "nodes.yaml" "$cardiac" restitution nodes.yaml --s2 250:240:10ms --output nodes.yaml; input nodes.yaml
before o.yaml; expect 2 "--save would replace o.yaml, which is read" "$cardiac" cell mitchell-schaeffer --initial o.yaml --save o.yaml; input o.yaml
expect 2 "--output and --save are the same file" "$cardiac" cell mitchell-schaeffer --output same --save same
before box.msh
for command in "convert box.msh box.msh" "refine box.msh box.msh" "surface box.msh box.msh"; do
    expect 2 "the output would replace box.msh, which is read" "$cardiac" mesh $command --scale 1mm --overwrite; input box.msh
done
"$cardiac" mesh convert box.msh p.pts --scale 1mm > said; before p.elem
expect 2 "the output would replace p.elem, which is read" "$cardiac" mesh convert p.elem p.pts --overwrite; input p.elem

# A bundle's own link does not choose where a repetition writes
mkdir elsewhere; ln -s ../elsewhere bundle/repeat
expect 2 "bundle/repeat is a symbolic link" "$cardiac" run bundle
[ -z "$(ls elsewhere)" ] || fail "a link of the bundle was followed"
echo "strangers: passed"
