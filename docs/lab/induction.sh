#!/bin/bash
# induction.sh CARDIAC MESHES DEVICE OUT: the study of docs/user/induction.md: 17 sites of geo1 (the folder MESHES has
# heart_geo1_464k.{node,ele,face}.gz) with a scar in segment 7, S1 S2 S3 and two lesions, by four processes on the device, and the first
# site on the CPU, whose rows must be equal. Into OUT: table.csv, report.html, the files of each re-entry, and figures.txt.
set -eu
cardiac=$(realpath "$1") meshes=$(realpath "$2") device=$3 parts=4
mkdir -p "$4" && cd "$4"
for kind in node ele face; do gunzip -c "$meshes/heart_geo1_464k.$kind.gz" > geo1.$kind; done
cat > geo1.yaml <<'END'
version: 1
title: geo1 with a scar in the mid anterior wall
mesh: {file: geo1.ele, scale: 1 mm, surfaces: {base: 1, epi: 2, lv: 3, rv: 4}}
tissue:
  surface_to_volume: 1400 /cm
  fibers: {rule: ldrb, fiber: [60 deg, -60 deg]}
  regions:
    - {where: aha(7), model: passive, conductivity: {intra: 0 S/m, extra: 0.2 S/m}}
    - where: aha(8) or aha(2)
      model: mitchell-schaeffer
      parameters: {tau_open: 80 ms, tau_close: 110 ms}
      conductivity: &wall {intra: {longitudinal: 0.34 S/m, transverse: 0.15 S/m}, extra: {longitudinal: 1.2 S/m, transverse: 0.8 S/m}}
    - {model: mitchell-schaeffer, parameters: {tau_open: 80 ms, tau_close: 60 ms}, conductivity: *wall}
stimuli:
  - {name: S1, where: "aha(13) and transmural < 0.3", start: 5 ms, duration: 2 ms, current: 80 uA/uF, count: 2, period: 450 ms}
time: {end: 900 ms, step: 0.1 ms}
solver: {precision: double}
activation: {beats: 2}
output: {directory: out, every: 10 ms}
ecg:
  electrodes: {RA: [98.2 mm, 63.4 mm, 198 mm], LA: [-119 mm, 206 mm, -8.06 mm], LL: [-102 mm, -273 mm, -210 mm],
    V1: [53.9 mm, 17.6 mm, -4.82 mm], V2: [24.8 mm, 40.5 mm, -39.1 mm], V3: [0.465 mm, 36.3 mm, -61.6 mm],
    V4: [-29.2 mm, 29.9 mm, -81.6 mm], V5: [-76.5 mm, 34.6 mm, -81.8 mm], V6: [-124 mm, 30.4 mm, -66.7 mm]}
induction:
  sites: aha17
  radius: 6 mm
  lesions:
    - {name: line to the base, where: aha(1) and abs(rotational - 0.5833) < 0.02}
    - {name: line to the apex, where: aha(13) and abs(rotational - 0.5833) < 0.03}
  from: 260 ms
  to: 170 ms
  by: 30 ms
  extra: 2
  sustained: 600 ms
END
start=$(date +%s)
"$cardiac" induce geo1.yaml --device cpu --part 1/17 --output host > host.log 2>&1 &
host=$!
jobs=()
for k in $(seq $parts); do
    "$cardiac" induce geo1.yaml --device "$device" --threads 2 --results --part "$k/$parts" --output . > "part-$k.log" 2>&1 &
    jobs+=($!)
done
for job in "${jobs[@]}"; do wait "$job"; done
echo "all sites: $(($(date +%s) - start)) s by $parts processes" | tee figures.txt
{ head -1 "table-1-of-$parts.csv"; for k in $(seq $parts); do tail -n +2 "table-$k-of-$parts.csv"; done; } > table.csv
rm -f table-*-of-* report-*-of-* vulnerability-*-of-*
wait "$host"
tail -n +2 host/table-1-of-17.csv > host.rows
awk -F, -v first="$(head -1 host.rows | cut -d, -f2)" '$2 == first' table.csv | cmp - host.rows &&
    echo "the first site: $(wc -l < host.rows) rows, equal on the device and the CPU" | tee -a figures.txt
cat part-*.log | sed -n 's/.* \([0-9]*\) branches: .*; \([0-9]*\) steps, \([0-9]*\) in runs.*/\1 \2 \3/p' |
    awk '{ b += $1; s += $2; a += $3 } END { printf "%d branches; %d steps, %d in runs of their own\n", b, s, a }' | tee -a figures.txt
"$cardiac" induce geo1.yaml --device "$device" --results --output . > page.log
grep ^re-entry page.log | tee -a figures.txt
