#!/bin/bash
# lead_fields.sh PROGRAM: lead fields of a conductor without bounds, from a file, give the leads that electrodes in it give; a resumed run
# has its own; errors in a file are reported with line and column.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
expect 0 "" "$cardiac" mesh slab slab.pts --size 4mm,2mm,1.5mm --spacing 0.5mm
cat > a.yaml <<'END'
version: 1
mesh: {file: slab.elem}
tissue:
  surface_to_volume: 1400 /cm
  regions: [{model: mitchell-schaeffer, conductivity: {intra: 0.3 S/m, extra: 0.9 S/m}}]
stimuli: [{where: x < 0.6 mm and y < 1.1 mm, duration: 1 ms, current: 60 uA/uF}]
time: {end: 8 ms, step: 0.05 ms}
checkpoint: {every: 4 ms}
END
points='RA 9 1 -2
LA -3 7 1
LL 2 -6 -3
V3 3 1 5'
{ cat a.yaml; echo "ecg: {conductivity: 0.25 S/m, electrodes: {$(echo "$points" | awk '{ printf "%s%s: [%s mm, %s mm, %s mm]", (NR > 1 ? ", " : ""), $1, $2, $3, $4 }')}}"; } > places.yaml
{ cat a.yaml; echo "ecg: {lead_fields: fields.csv}"; } > fields.yaml
# z = 1 / (4 pi s r) in ohm, r in m
echo "$points" | awk 'NR == FNR { name[NR] = $1; x[NR] = $2; y[NR] = $3; z[NR] = $4; n = NR; next }
    FNR == 1 { for (k = 1; k <= n; k++) printf "%s%s", name[k], k < n ? "," : "\n"; next }
    { for (k = 1; k <= n; k++) printf "%.15g%s", 1e3 / (4 * 3.14159265358979324 * 0.25 * sqrt(($1 / 1e3 - x[k])^2 + ($2 / 1e3 - y[k])^2 + ($3 / 1e3 - z[k])^2)), k < n ? "," : "\n" }' - slab.pts > fields.csv
for name in places fields; do expect 0 "" "$cardiac" run $name.yaml --quiet --device cpu --threads 1 --output $name; done
grep -q "ecg: I, II, III, aVR, aVL, aVF, V3 every 1 ms; by lead fields$" fields/run.log || { cat fields/run.log; fail "the log"; }
[ "$(head -1 fields/ecg.csv)" = "$(head -1 places/ecg.csv)" ] || fail "$(head -1 fields/ecg.csv)"
paste -d, places/ecg.csv fields/ecg.csv | awk -F, 'NR > 1 { for (c = 2; c <= 8; c++) { d = $c - $(c + 8); if (d * d > worst) worst = d * d; if ($c * $c > most) most = $c * $c } }
    END { exit !(most > 0.01 && worst < 1e-20 * most) }' || fail "leads differ"
# ... by rounding, which is all that their results differ by
expect 1 "differ: 1 of" "$cardiac" compare places/run.vtkhdf fields/run.vtkhdf
grep -q "^ecg .* in column [1-7] at [1-8] ms$" said || { cat said; fail "what differs"; }
expect 0 "equal within 1e-09 (1 compared)" "$cardiac" compare places/run.vtkhdf fields/run.vtkhdf --field ecg --tolerance 1e-9
expect 2 "has no array 'probes'" "$cardiac" compare places/run.vtkhdf fields/run.vtkhdf --field probes
# resumed: with the file that it had, and not with another
rm fields/checkpoint-160.h5
expect 0 "resumed" "$cardiac" run fields.yaml --device cpu --resume --output fields
paste -d, places/ecg.csv fields/ecg.csv | awk -F, 'NF != 16 { exit 1 }' || fail "the resumed table"
rm fields/checkpoint-160.h5
cp fields.csv good.csv
sed '5s/1/2/' good.csv > fields.csv
expect 2 "resume refused" "$cardiac" run fields.yaml --device cpu --resume --output fields
wrong() { expect 2 "$1" "$cardiac" run fields.yaml --quiet --output wrong --overwrite; }
sed '$d' good.csv > fields.csv; wrong "fewer than"
{ cat good.csv; tail -1 good.csv; } > fields.csv; wrong "more than"
sed '7s/,[^,]*$//' good.csv > fields.csv; wrong "fields.csv:7"
sed '7s/$/,1/' good.csv > fields.csv; wrong "fields.csv:7"
sed '7s/[0-9]/x/' good.csv > fields.csv; wrong "fields.csv:7"
sed '7s/,[^,]*$/,1e300/' good.csv > fields.csv; wrong "1e+300 is out of range"
long=$(printf '%080d' 0 | tr 0 v)
sed "1s/V3/$long/" good.csv > fields.csv; wrong "fields.yaml:9:20: ecg.lead_fields: fields.csv:1:1: '$long' is not a column name"
sed 1d good.csv > fields.csv; wrong "is not a column name"
sed '1s/V3/RA/' good.csv > fields.csv; wrong "twice"
sed '1s/V3/aVF/' good.csv > fields.csv; wrong "is a lead"
: > fields.csv; wrong "the file is empty"
rm fields.csv; wrong "fields.csv"
cp good.csv fields.csv
expect 2 "cannot be combined with ecg.electrodes" "$cardiac" run fields.yaml --output wrong --set 'ecg.electrodes={a: [0 mm, 0 mm, 9 mm]}'
expect 0 "has no effect: the lead fields already include" "$cardiac" check fields.yaml --set 'ecg.conductivity=0.2 S/m'
echo "lead fields are those of electrodes"
