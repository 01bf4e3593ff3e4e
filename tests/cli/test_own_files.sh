#!/bin/bash
# test_own_files.sh CARDIAC: a run's files are its own: locked, never written through links or pipes; a broken result is kept beside a
# good checkpoint; what cannot be written is said; files of other formats are refused by their number and program.
. "$(dirname "$0")/../support/run_helpers.sh"

cat > a.yaml <<'EOT'
version: 1
mesh: {cable: {length: 5 mm, spacing: 0.25 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: mitchell-schaeffer, conductivity: 0.133 S/m}]}
stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA/uF}]
time: {end: 8 ms, step: 0.02 ms}
solver: {precision: double}
output: {directory: a, every: 0.5 ms, fields: [V], probes: {end: [5 mm, 0 mm, 0 mm]}}
checkpoint: {every: 2 ms, keep: 9}
EOT
expect 0 "" "$cardiac" run a.yaml

sed 's/every: 0.5 ms, fields: \[V\], //; s/end: 8 ms/end: 400 ms/; s/stimuli:.*/stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 1 mm}, duration: 1 ms, current: 50 uA\/uF, count: 2, period: 300 ms}]/' a.yaml > s1s2.yaml
echo "induction: {sites: {end: [5 mm, 0 mm, 0 mm]}, from: 250 ms, to: 240 ms, by: 10 ms, extra: 1, sustained: 100 ms}" >> s1s2.yaml
printf 'time.step\n0.02 ms\n0.01 ms\n' > rows.csv
"$cardiac" mesh slab p.pts --size 1mm,1mm,1mm --spacing 0.5mm > said || fail "a mesh"
printf 'meshname = p\ntend = 5\ndt = 20\n' > a.par
"$cardiac" mesh slab box.msh --size 1mm,1mm,1mm --spacing 0.5mm > said || fail "a mesh"

# The lock holds when the log and the file of the lock are gone
"$cardiac" run a.yaml --output l --set time.end=1000s > running 2>&1 & pid=$!
wait_for "first rows" test -s l/probes.csv
rm l/run.log l/run.lock
expect 2 "l: another run is writing there" "$cardiac" run a.yaml --output l --resume
kill -TERM $pid; wait $pid

# No link is followed, no pipe waited for
echo mine > victim
for file in run.log run.lock probes.csv run.xdmf.tmp run.vtkhdf.journal; do
    for odd in link pipe; do
        rm -rf s; mkdir s
        if [ $odd = link ]; then ln -s ../victim s/$file; else mkfifo s/$file; fi
        timeout 100 "$cardiac" run a.yaml --output s --overwrite > said 2>&1; got=$?
        [ $got = 2 ] || [ $got = 3 ] || [ $got = 0 ] || { cat said; fail "$odd s/$file: status $got"; }
        [ $got = 0 ] && [ -L s/$file ] && fail "s/$file is still a link after a run that says it went well"
        [ "$(cat victim)" = mine ] || fail "s/$file was followed"
    done
done

script() { # is Python, with nothing for sanitizers; all of it writes as `restitution` does
    case $1 in
    restitution*) [ $sanitized ] ;;
    induce* | converge* | import*) ! full ;;
    *) false ;;
    esac
}
# Standard output on a full disk: a message and status 3, except for the words of a run, which run.log has as well
cell="cell mitchell-schaeffer --beats 1 --period 300"
for command in "info a/run.vtkhdf" "info" "models" "models tp06-epi" "compare a/run.vtkhdf a/run.vtkhdf" "check a.yaml" "check --keys" "--help" \
    "check a.yaml --json" "models --json" "info a/run.vtkhdf --json" "compare a/run.vtkhdf a/run.vtkhdf --json" "keys mesh" \
    "$cell --json" "$cell --json --output cell.csv" "restitution s1s2.yaml --s2 300:200:50ms" "run a.yaml --json --overwrite" \
    "sweep a.yaml --table rows.csv --json --output w --overwrite" "sweep a.yaml --table rows.csv --output w --overwrite" \
    "induce s1s2.yaml --output i --overwrite" "induce s1s2.yaml --json --output i --overwrite" \
    "converge a.yaml --fixed-mesh --output c --overwrite" "converge a.yaml --fixed-mesh --output c --overwrite --json" "mesh info box.msh --scale 1mm"; do
    script "$command" && continue
    "$cardiac" $command 2> said > /dev/full; got=$?
    [ $got = 3 ] && grep -q "standard output cannot be written" said || { cat said; fail "$command: status $got"; }
done
"$cardiac" run a.yaml --output f > /dev/full 2> said || { cat said; fail "a run whose results are there: status $?"; }

# Closed standard output is lost as well, where it is the only product
for command in "info" "$cell" "$cell --json" "restitution s1s2.yaml --s2 300:250:50ms" "mesh info box.msh --scale 1mm" "import a.par"; do
    script "$command" && continue
    "$cardiac" $command >&- 2> said; got=$?
    [ $got = 3 ] && grep -q "cannot be written" said || { cat said; fail "$command with closed standard output: status $got"; }
done
"$cardiac" run a.yaml --output f --overwrite >&- 2> said || { cat said; fail "a run with closed standard output: status $?"; }

# A kill between a new checkpoint and the removal of the oldest leaves one too many, which a resume removes
cp -r a k; expect 0 "no steps remain" "$cardiac" run a.yaml --output k --resume --set checkpoint.keep=2
[ "$(echo k/checkpoint-*)" = "k/checkpoint-300.h5 k/checkpoint-400.h5" ] || fail "checkpoint.keep: 2 left $(echo k/checkpoint-*)"

# A log that cannot be written is said at once and in the end, and the run goes on: the file is as long as it may get
cp -r a g; rm g/checkpoint-400.h5; (printf 'cardiac '; head -c 200000 /dev/zero | tr '\0' '\n') > g/run.log
(ulimit -f 196; exec "$cardiac" run a.yaml --output g --resume --quiet) > said 2>&1 || { cat said; fail "a full log: status $?"; }
[ "$(grep -c "g/run.log: File too large" said)" = 2 ] || { cat said; fail "warnings of a full log"; }
same a/run.vtkhdf g/run.vtkhdf

# A result that cannot be read is kept, and the run goes on from its checkpoint
for damage in "truncate -s 0" "truncate -s 30000" "dd if=/dev/zero bs=1024 count=2 conv=notrunc status=none of="; do
    rm -rf b; cp -r a b; rm b/checkpoint-{300,400}.h5
    case $damage in dd*) ${damage}b/run.vtkhdf ;; *) $damage b/run.vtkhdf ;; esac
    cp b/run.vtkhdf damaged
    expect 0 "the result is damaged and was renamed to b/run.vtkhdf.broken" "$cardiac" run a.yaml --output b --resume
    grep -q "b/probes.csv was renamed to b/probes.csv.old: a new one begins at 4 ms" said || { cat said; fail "the probes beside a broken result"; }
    grep -q "a new one begins at 4 ms" said || { cat said; fail "where the new result begins"; }
    cmp damaged b/run.vtkhdf.broken || fail "the broken result was changed"
    same a/checkpoint-400.h5 b/checkpoint-400.h5
    { sed -n 1p b/probes.csv.old; sed -n '/^4,/,$p' b/probes.csv.old; } | cmp - b/probes.csv || fail "probes.csv beside a broken result"
    cmp a/probes.csv b/probes.csv.old || fail "the probes of a broken result"
done
rm b/checkpoint-400.h5; truncate -s 0 b/run.vtkhdf
expect 0 "was renamed to b/run.vtkhdf.broken-2" "$cardiac" run a.yaml --output b --resume

# Files of other formats
sed 's/version: 1/version: 2/; s/time:/times:/' a.yaml > two.yaml
expect 2 "two.yaml:1:10: version: only version 1 is supported, not 2" "$cardiac" check two.yaml
python3 -c "import h5py" 2> /dev/null || { echo "no h5py: files of other formats are not tested: skipped"; exit 77; }
cp -r a o; rm o/checkpoint-400.h5
python3 -c "import h5py; h5py.File('o/run.vtkhdf', 'r+')['run'].attrs['format'] = 7"
expect 2 "a result of format 7, written by cardiac" "$cardiac" info o/run.vtkhdf
expect 2 "a result of format 7, written by cardiac" "$cardiac" run a.yaml --output o --resume
python3 -c "import h5py; del h5py.File('o/run.vtkhdf', 'r+')['run'].attrs['format']"
expect 0 "" "$cardiac" info o/run.vtkhdf
expect 2 "a result of format 1, written by cardiac" "$cardiac" run a.yaml --output o --resume
echo "test_own_files: passed"
