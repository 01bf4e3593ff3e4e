#!/bin/bash
# odd_files.sh CARDIAC: what is no file where one is read or written, an empty one, a byte order mark, a line too long, more threads
# than there is room for: each is refused, or taken, in words and at once.
. "$(dirname "$0")/../support/run_helpers.sh"

cat > a.yaml <<'EOS'
version: 1
mesh: {slab: {size: [1.5 mm, 1 mm, 0.5 mm], spacing: 0.5 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{model: passive, conductivity: 0.133 S/m}]}
stimuli: [{nodes: first.txt, duration: 1 ms, current: 5 uA/uF}]
time: {end: 1 ms, step: 0.02 ms}
output: {directory: a, probes: {far: [1.5 mm, 1 mm, 0.5 mm]}}
checkpoint: {every: 0.5 ms}
EOS
echo "0 1 5" > first.txt
expect 0 "" "$cardiac" run a.yaml
soon() { local status=$1 text=$2; shift 2; expect "$status" "$text" timeout 100 "$@"; } # expect, without waiting for ever

# In the output directory: nothing else is touched
for name in run.log run.vtkhdf run.vtkhdf.journal run.xdmf probes.csv beats.csv checkpoint-50.h5; do
    for kind in pipe directory device; do
        rm -rf b && cp -r a b && rm -rf "b/$name"
        case $kind in
        pipe) mkfifo "b/$name" ;;
        directory) mkdir "b/$name" ;;
        device) ln -s /dev/zero "b/$name" ;;
        esac
        for how in "" --overwrite --resume; do
            soon 2 "b/$name is a ${kind/device/symbolic link}, not a regular file" "$cardiac" run a.yaml --output b $how
        done
    done
done
rm -rf b && cp -r a b && mkfifo b/run.vtkhdf.journal
soon 2 "b/run.vtkhdf.journal is not a regular file" "$cardiac" info b/run.vtkhdf
soon 2 "b/run.vtkhdf.journal is not a regular file" "$cardiac" compare a/run.vtkhdf b/run.vtkhdf

# A place that cannot be, where nobody may write
for place in /proc/none a/run.log/b; do soon 2 "cardiac: $place: " "$cardiac" run a.yaml --output $place; done

# What is read
mkfifo pipe.h5 pipe.vtkhdf
for file in pipe.h5 pipe.vtkhdf /dev/zero a; do
    soon 2 "is not a regular file" "$cardiac" run a.yaml --output c --set "initial.file=$(realpath "$file")"
    soon 2 "is not a regular file" "$cardiac" check a.yaml --set "initial.file=$(realpath "$file")"
done
expect 0 "" "$cardiac" run a.yaml --output c --set initial.file=a/checkpoint-50.h5
soon 0 "pipe.h5: this is not a regular file; whether this run began from it is not checked" \
    "$cardiac" run a.yaml --output c --resume --set initial.file=pipe.h5 --set time.end=2ms
: > empty.vtkhdf
soon 2 "empty.vtkhdf: the file is empty" "$cardiac" info empty.vtkhdf
soon 2 "empty.vtkhdf: the file is empty" "$cardiac" compare a/run.vtkhdf empty.vtkhdf

# An editor's byte order mark is no part of a text: config, list of nodes, meshes; places stay right
mark=$'\xef\xbb\xbf'
"$cardiac" mesh slab box.msh --size 1.5mm,1mm,0.5mm --spacing 0.5mm > said && "$cardiac" mesh convert box.msh box.pts --scale 1mm > said || { cat said; fail "a mesh"; }
for file in a.yaml first.txt box.msh box.pts; do (printf %s "$mark"; cat $file) > marked && mv marked $file; done
expect 0 "stimulus S1: 3 nodes" "$cardiac" check a.yaml
sed 's/version: 1/version: 7/' a.yaml > seven.yaml
expect 2 "seven.yaml:1:10: version: only version 1 is supported, not 7" "$cardiac" check seven.yaml
expect 0 "nodes      24" "$cardiac" mesh info box.msh --scale 1mm
expect 0 "nodes      24" "$cardiac" mesh info box.pts

# A node too many in a line of elements, of either version
sed 's/^\(1 4 2 0 1 .*\)/\1 3/' box.msh > more.msh
expect 2 "more.msh:33:20: unexpected '3': the line should end here" "$cardiac" mesh info more.msh --scale 1mm

# Threads
many=$(($(nproc) + 99))
expect 0 "warning: threads: $many threads were requested, but this process may use" "$cardiac" check a.yaml --set threads=$many --set time.end=0.02ms --set checkpoint.every=0 --set output.every=0.02ms
if ! grep -q __asan_init "$cardiac"; then # which needs more for itself
    (ulimit -v 80000; exec "$cardiac" run a.yaml --output t --threads 16) > said 2>&1; got=$?
    [ $got = 3 ] && grep -q "cardiac: the OpenMP library ended the program: too little memory" said || { cat said; fail "status $got without room for threads"; }
fi

# A stack too small for any work: bash counts in KiB
expect 2 "the limit on the stack is 64 KiB; at least 512 are needed" bash -c "ulimit -s 64; exec '$cardiac' run a.yaml --output t --overwrite"
expect 0 "" bash -c "ulimit -s 512; exec '$cardiac' run a.yaml --output t --overwrite --threads 2"

# No /dev/null, where one may take it away
if unshare -m true 2> /dev/null; then
    expect 3 "cardiac: /dev/null cannot be opened" unshare -m sh -c "mount -t tmpfs none /dev && exec $cardiac --version"
fi
echo "odd_files: passed"
