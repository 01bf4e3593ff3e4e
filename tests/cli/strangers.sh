#!/bin/bash
# strangers.sh CARDIAC: no command replaces, cuts or removes a file that the program did not make, and no output replaces an input:
# every command that writes, in a folder where every name that it uses is somebody else's file.
. "$(dirname "$0")/../support/run_helpers.sh"

cat > a.yaml <<'EOT2'
version: 1
mesh: {cable: {length: 5 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: mitchell-schaeffer, conductivity: 0.133 S/m}]}
stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA/uF, count: 2, period: 300 ms}]
time: {end: 320 ms, step: 0.2 ms}
activation: {beats: 2}
induction: {sites: {end: [5 mm, 0 mm, 0 mm]}, from: 250 ms, to: 240 ms, by: 10 ms, extra: 1, sustained: 100 ms}
output: {directory: a, every: 10 ms, probes: {end: [5 mm, 0 mm, 0 mm]}}
checkpoint: {every: 100 ms, keep: 1}
EOT2
printf 'time.step\n0.2 ms\n' > rows.csv
quiet() { "$@" > said 2>&1 || { cat said; fail "$*"; }; }
quiet "$cardiac" run a.yaml
quiet "$cardiac" bundle a bundle
quiet "$cardiac" mesh slab box.msh --size 1mm,1mm,1mm --spacing 0.5mm
quiet "$cardiac" mesh ellipsoid heart.msh --size 10mm,25mm,8mm --edge 5mm
sed 's|cable: {[^}]*}|sheet: {size: [2 mm, 2 mm], spacing: 0.5 mm}|; s|end: 320 ms|end: 50 ms|; s|induction:.*||; s|probes: {[^}]*}|fields: [V]|; s|count: 2, period: 300 ms|count: 1|' a.yaml > sheet.yaml
quiet "$cardiac" run sheet.yaml --output sheet
sed 's|conductivity: 0.133 S/m|velocity: 0.4 m/s|' a.yaml > tune.yaml
sed 's|induction:.*|ecg: {electrodes: {A: [0 mm, 5 mm, 0 mm], B: [5 mm, 5 mm, 0 mm]}}|; s|end: 320 ms|end: 30 ms|' a.yaml > leads.yaml
quiet "$cardiac" run leads.yaml --output leads
sed '/^ecg/s|}}$|}, target: leads/ecg.csv}|' leads.yaml > fit.yaml
echo 'fit: {evaluations: 3, parameters: {"tissue.regions[0].conductivity": {from: 0.1 S/m, to: 0.2 S/m}}}' >> fit.yaml
quiet "$cardiac" mesh slab q.pts --size 1mm,1mm,1mm --spacing 0.5mm
printf 'meshname = q\ntend = 5\ndt = 20\n' > a.par

# A command of each kind for every command of the table, from which the names are found that it writes
commands=$("$cardiac" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'; "$cardiac" mesh --help | sed -n 's/^  \([a-z]*\)  .*/mesh \1/p')
box="--size 1mm,1mm,1mm --spacing 0.5mm" on="--scale 1mm --base 1 --epi 2 --lv 3"
examples() { # a line each
    case $1 in
    run) printf '%s\n' "run a.yaml --output s" "run a.yaml --output s --resume" "run bundle --output s" ;;
    sweep) printf '%s\n' "sweep a.yaml --table rows.csv --output s --maps --results" "sweep a.yaml --table rows.csv --output s --part 1/1 --maps" ;;
    converge) echo "converge a.yaml --fixed-mesh --output s" ;;
    bundle) echo "bundle a s" ;;
    check | verify) echo "$1 $([ $1 = check ] && echo a.yaml || echo stimulus --quick)" ;;
    keys) echo "keys mesh" ;;
    models) echo models ;;
    info) echo "info a/run.vtkhdf" ;;
    compare) echo "compare a/run.vtkhdf a/run.vtkhdf" ;;
    cell) printf 'cell mitchell-schaeffer %s\n' "--output s/out.csv" "--s1 2x300ms --s2 250:240:10ms --output s/out.csv" "--save s/out.yaml" ;;
    restitution) echo "restitution a.yaml --s2 250:240:10ms --output s/out.csv" ;;
    induce) printf 'induce a.yaml --output s %s\n' "" "--results --part 1/1" ;;
    fit) echo "fit fit.yaml --output s" ;;
    mesh) echo "mesh info box.msh --scale 1mm" ;;
    tune) echo "tune tune.yaml" ;;
    import) echo "import a.par" ;;
    report) echo "report sheet s/page.html" ;;
    film) echo "film sheet s/film.gif" ;;
    tips) echo "tips sheet s/tips.csv" ;;
    bench) echo "bench --help" ;;
    "mesh info") echo "mesh info box.msh --scale 1mm" ;;
    "mesh convert") printf 'mesh convert box.msh s/out.%s --scale 1mm\n' msh msh.gz vtk vtu vtkhdf pts node ;;
    "mesh repair") echo "$1 box.msh s/out.vtkhdf --scale 1mm --drop-stray" ;;
    "mesh surface" | "mesh refine") echo "$1 box.msh s/out.vtkhdf --scale 1mm" ;;
    "mesh extract") echo "$1 box.msh s/out.msh --scale 1mm --where x<0.6mm" ;;
    "mesh coordinates" | "mesh fibers") echo "$1 heart.msh s/out.vtkhdf $on" ;;
    "mesh ellipsoid") echo "$1 s/out.msh --size 10mm,25mm,8mm --edge 5mm" ;;
    "mesh slab") echo "$1 s/out.msh $box" ;;
    "mesh sheet") echo "$1 s/out.msh --size 1mm,1mm --spacing 0.5mm" ;;
    "mesh cable") echo "$1 s/out.msh --size 1mm --spacing 0.5mm" ;;
    *) fail "cardiac $1 is not walked: add how it is called" ;;
    esac
}

kinds=(file link hard dangling folder pipe) turn=0 notes=$'my notes\nand figures'
# s, empty but for somebody else's file of that name and kind; victim is another of theirs
stranger() {
    local at=s/$1
    rm -rf s victim missing; mkdir -p "${at%/*}"; printf "$notes" > victim
    case $2 in
    file) cp victim "s/$1" ;;
    link) ln -s "$dir/victim" "s/$1" ;;
    hard) ln victim "s/$1" ;;
    dangling) ln -s "$dir/missing" "s/$1" ;;
    folder) mkdir "s/$1"; cp victim "s/$1/mine" ;;
    pipe) mkfifo "s/$1" ;;
    esac
}
unharmed() { # NAME KIND COMMAND
    local at=s/$1
    [ -e "$at.broken" ] && at=$at.broken # where a result that cannot be read is kept
    local all; IFS= read -rd '' all < victim
    [ "$all" = "$notes" ] || { cat said; fail "$3: another's file was changed through s/$1, $2"; }
    [ ! -e missing ] || fail "$3: s/$1, a dangling link, was followed"
    case $2 in
    file | hard) cmp -s victim "$at" ;;
    link | dangling) [ -L "$at" ] ;;
    folder) cmp -s victim "$at/mine" ;;
    pipe) [ -p "$at" ] ;;
    esac || { cat said; fail "$3: s/$1, $2, was replaced"; }
}
walk() { # walk COMMAND: in an empty folder for the names; then each name, and those beside it, is somebody else's
    local words=$1 name kind kinds_of_one got names beside
    full && beside=.tmp || beside= # test_own_file.c has what stands there
    # Scripts write through one function alone (doors.sh), which test_own_file.py tries with every kind: a name of each command with `full`
    case ${words%% *} in converge | restitution | induce | fit | import | report | film | tips) full || return ;; esac
    rm -rf s; mkdir s; find . -path ./s -prune -o -type f ! -name before ! -name said -print | sort > before
    timeout 100 "$cardiac" $words > said 2>&1; got=$?
    [ $got = 0 ] || [ "${words%% *}" = film ] || { cat said; fail "status $got: $words"; } # it needs pyvista
    find . -path ./s -prune -o -type f ! -name before ! -name said -print | sort | diff before - || fail "$words writes outside s"
    names=$(cd s && find . ! -type d | sed 's|^\./||'; printf '%s\n' $words | sed -n 's|^s/||p')
    case $words in
    report* | film* | induce* | converge* | fit*) # the rest is in test_own_file.py, or of `sweep`
        beside= names=$(printf '%s\n' $names | grep -v /) ;;
    esac
    for name in $(for n in $names; do echo $n; [ ! "$beside" ] || echo $n.tmp; case $n in *.vtkhdf) [ ! "$beside" ] || printf "$n%s\n" .new .journal .new.journal ;; esac; done | sort -u); do
        kinds_of_one=${kinds[turn++ % 6]}
        ! full || kinds_of_one="file ${kinds_of_one#file}"
        for kind in $kinds_of_one; do
            stranger "$name" $kind
            timeout 100 "$cardiac" $words > said 2>&1; got=$?
            [ $got = 0 ] || [ $got = 2 ] || { cat said; fail "status $got with s/$name, $kind: $words"; }
            case " "$names" " in *" $name "*) [ $got = 2 ] || [ -e "s/$name.broken" ] || [ -e "s/$name-2" ] || [ "${name##*/}" = run.lock ] || { cat said; fail "status $got with s/$name, $kind: $words"; } ;; esac
            unharmed "$name" $kind "$words"
        done
    done
}
while read -r command; do
    lines=$(examples "$command") || { echo "$lines"; exit 1; }
    if "$cardiac" $command --help < /dev/null | grep -q -- "  --dry-run "; then # which writes nothing
        rm -rf s; expect 0 "" "$cardiac" ${lines%%$'\n'*} --dry-run < /dev/null
        [ ! -e s ] || { find s; fail "$command --dry-run writes"; }
    fi
    while read -r words; do walk "$words" < /dev/null; done <<< "$lines"
done <<< "$commands"

# A stranger's HDF5 file is kept when the checkpoints of a run are removed
"$cardiac" mesh cable other.vtkhdf --size 5mm --spacing 1mm > said
rm -rf s; mkdir s; cp a/run.* a/probes.csv a/beats.csv a/checkpoint-* s; cp other.vtkhdf s/checkpoint-1000.h5
quiet "$cardiac" run a.yaml --output s --resume --set time.end=520ms
cmp s/checkpoint-1000.h5 other.vtkhdf || fail "a resume removed a stranger's checkpoint-1000.h5"
[ ! -e s/checkpoint-1500.h5 ] || fail "a resume kept an old checkpoint"

# What the program made is replaced, or continued
without_pages
warm_python
for command in "cell mitchell-schaeffer --output o.csv" "cell mitchell-schaeffer --save o.yaml" "restitution a.yaml --s2 250:240:10ms --output r.csv" \
    "induce a.yaml --output i" "converge a.yaml --fixed-mesh --output c"; do
    case $command in induce* | converge*) full || continue ;; esac # test_own_file.py, as above
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
