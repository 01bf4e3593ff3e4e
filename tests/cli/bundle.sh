#!/bin/bash
# bundle.sh PROGRAM: a run with every kind of file that a config names becomes a folder that runs elsewhere, when the files are gone,
# with the same bits; a bit that differs, a file that has changed and what is no bundle are told.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
mkdir -p home/lists && cd home || exit 1
awk 'BEGIN { n = 60; print n > "line.pts"; print n - 1 > "line.elem"
    for (i = 0; i < n; i++) { print i * 200, 0, 0 > "line.pts"; print i < n / 2 ? 100 : 140 > "lists/times.txt"; if (i) print "Ln", i - 1, i, 1 > "line.elem" } }'
printf '0\n1\n2\n' > lists/left.txt
printf '0 0\n0.5 1\n1.5 0\n' > lists/pulse.txt
printf '59 1\n58 2\n' > lists/delays.txt
"$cardiac" models fenton-karma-br --mmt > my.mmt || fail "no text of a model"
cat > line.yaml <<'END'
version: 1
mesh: {file: line.elem}
tissue:
  surface_to_volume: 1400 /cm
  regions:
    - {where: x < 6 mm, model: mitchell-schaeffer, conductivity: 0.2 S/m, initial: {pace: 1, period: 300 ms, times: lists/times.txt}}
    - {model: {file: my.mmt}, conductivity: 0.2 S/m}
stimuli:
  - {nodes: lists/left.txt, pulse: lists/pulse.txt, current: 50 uA/uF}
  - {delays: lists/delays.txt, duration: 2 ms, current: 50 uA/uF}
time: {end: 4 ms, step: 0.05 ms}
solver: {method: jacobi, precision: double}
output: {directory: out, every: 2 ms, probes: {a: [5 mm, 0 mm, 0 mm]}}
ecg: {electrodes: {e: [5 mm, 10 mm, 0 mm]}}
checkpoint: {every: 4 ms}
END
expect 0 "" "$cardiac" run line.yaml --quiet --device cpu --threads 1 --set title="'a bundle: \"quoted\"'"
echo "all passed" > out/verify.txt
expect 0 "../kept: repeat it by" "$cardiac" bundle out ../kept
cd .. && rm -r home
mkdir elsewhere && mv kept elsewhere/kept && cd elsewhere || exit 1
(cd kept && sha256sum --quiet -c SHA256SUMS) || fail "SHA256SUMS"
[ "$(ls -R kept/inputs | grep -c '\.')" = 7 ] && [ -e kept/verify.txt ] || fail "$(find kept)"
grep -q "^device: auto" kept/config.yaml || fail "$(cat kept/config.yaml)"
grep -q "home\|@bundle@" kept/config.yaml && fail "$(cat kept/config.yaml)"
expect 0 "a bundle" "$cardiac" check kept/config.yaml
expect 0 "the same bits as in kept: " "$cardiac" run kept --device cpu --threads 2
grep -q "^checkpoint:V,4," kept/results.csv && grep -q "^ecg,,[0-9a-f]" kept/results.csv && cmp kept/results.csv kept/repeat/results.csv || fail "$(cat kept/results.csv)"
expect 2 "exists; --overwrite replaces it" "$cardiac" run kept --device cpu
expect 0 "the same bits" "$cardiac" run kept --device cpu --overwrite
# a result with other bits, told with the first of them
cp -r kept other
sed -i 's/^V,2,./V,2,x/' other/results.csv
(cd other && find . -type f ! -name SHA256SUMS ! -path './repeat/*' -printf '%P\n' | sort | xargs sha256sum > SHA256SUMS)
expect 1 "1 of 21 arrays" "$cardiac" run other --device cpu --overwrite
grep -q "arrays have other bits than in other, the first of them V at 2 ms$" said || fail "$(cat said)"
echo no digests > other/results.csv
(cd other && find . -type f ! -name SHA256SUMS ! -path './repeat/*' -printf '%P\n' | sort | xargs sha256sum > SHA256SUMS)
expect 2 "other/results.csv:" "$cardiac" run other --device cpu --overwrite
# a list that was cut, one without digests, and one that leads elsewhere, perhaps without end
cp -r kept cut && sed -i /config.yaml/d cut/SHA256SUMS && sed -i 's/end: 4 ms/end: 2 ms/' cut/config.yaml
expect 2 "cut/config.yaml: is not in SHA256SUMS" "$cardiac" run cut --device cpu --overwrite
cp kept/config.yaml cut && grep -v my.mmt kept/SHA256SUMS > cut/SHA256SUMS
expect 2 "cut/inputs/3/my.mmt: is not in SHA256SUMS" "$cardiac" run cut --device cpu --overwrite
zeros=$(printf '0%.0s' {1..64})
echo "$zeros  inputs/../../../../../../../../../../dev/zero" >> cut/SHA256SUMS
expect 2 "is no digest of a file of this folder" "$cardiac" run cut --device cpu --overwrite
ln -s /dev/zero cut/inputs/zero && sed -i "\$ s|.*|$zeros  inputs/zero|" cut/SHA256SUMS
expect 2 "cut/inputs/zero: this is not a regular file" "$cardiac" run cut --device cpu --overwrite
# folders inside each other without end
cp -r kept deep && mkdir -p "deep/inputs/$(printf 'd/%.0s' {1..600})"
expect 2 "more than 100 folders inside each other" "$cardiac" run deep --device cpu --overwrite
head -1 kept/results.csv > other/results.csv
(cd other && find . -type f ! -name SHA256SUMS ! -path './repeat/*' -printf '%P\n' | sort | xargs sha256sum > SHA256SUMS)
expect 2 "other/results.csv:" "$cardiac" run other --device cpu --overwrite
# its own digests are never those of the repeated run
expect 2 "kept is a bundle, whose results.csv" "$cardiac" run kept --device cpu --overwrite --output kept
# a run that has not finished; a file that was written after it
expect 4 "" "$cardiac" run kept/config.yaml --device cpu --quiet --output part --stop-after 0.000001s
expect 2 "its run was interrupted or failed" "$cardiac" bundle part new
touch kept/inputs/1/line.pts
expect 0 "later: repeat it by" "$cardiac" bundle kept/repeat later
cmp kept/inputs/1/line.pts later/inputs/1/line.pts || fail "another file"
cp kept/inputs/4/left.txt . && echo secret > kept/inputs/4/left.txt
expect 2 "stimuli[].nodes: $PWD/kept/inputs/4/left.txt has changed since the run read it" "$cardiac" bundle kept/repeat secret
grep -rq secret secret && fail "the bundle has another file's bytes"
mv left.txt kept/inputs/4/left.txt
# what has changed, and what cannot be
echo >> other/inputs/1/line.elem
expect 2 "other/inputs/1/line.elem has changed since the bundle was made" "$cardiac" run other --device cpu --overwrite
expect 2 "kept is a bundle, which is repeated as it is; run kept/config.yaml to change it" "$cardiac" run kept --set time.end=1ms
expect 2 "kept is not empty" "$cardiac" bundle kept/repeat kept
expect 2 "run.vtkhdf" "$cardiac" bundle nothing new
[ ! -e new ] || fail "it began"
expect 2 "inputs/1/line.elem: No such file" bash -c "mv kept/inputs/1/line.elem . && '$cardiac' bundle kept/repeat new"
exit 0
