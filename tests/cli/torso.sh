#!/bin/bash
# torso.sh CARDIAC START COMM: the ECG in a conductor around the tissue: the same bits for any threads and ranks, a resume only with the same conductor,
# a tissue finer than the conductor's heart, and what is wrong with a conductor.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
expect 0 "" "$cardiac" mesh slab heart.pts --size 4mm,2mm,1.5mm --spacing 0.5mm
expect 0 "" "$cardiac" mesh slab box.pts --size 9mm,7mm,6mm --spacing 0.5mm
# the tissue within the box, whose elements have tag 1 there, 2 around it and 3 at its far end
awk 'NR > 1 { $1 += 2500; $2 += 2500; $3 += 2000 } { print }' heart.pts > moved && mv moved heart.pts
awk 'FNR == NR { for (d = 1; d <= 3; d++) p[FNR - 2, d] = $d; next }
    FNR > 1 { for (d = 1; d <= 3; d++) c[d] = (p[$2, d] + p[$3, d] + p[$4, d] + p[$5, d]) / 4000
        $6 = c[1] > 8 ? 3 : c[1] > 2.5 && c[1] < 6.5 && c[2] > 2.5 && c[2] < 4.5 && c[3] > 2 && c[3] < 3.5 ? 1 : 2 }
    { print }' box.pts box.elem > tagged && mv tagged box.elem
cat > a.yaml <<'END'
version: 1
mesh: {file: heart.elem}
tissue:
  surface_to_volume: 1400 /cm
  fibers: [1, 1, 0]
  regions:
    - model: mitchell-schaeffer
      conductivity: {intra: {longitudinal: 0.3 S/m, transverse: 0.1 S/m}, extra: {longitudinal: 0.6 S/m, transverse: 0.4 S/m}}
stimuli: [{where: x < 3.1 mm, duration: 1 ms, current: 60 uA/uF}]
time: {end: 8 ms, step: 0.05 ms}
ecg:
  conductor: {file: box.elem, regions: [{tags: [2], conductivity: 0.4 S/m}, {tags: [3], conductivity: 0.05 S/m}]}
  electrodes: {RA: [9 mm, 3 mm, 3 mm], LA: [0 mm, 3 mm, 3 mm], LL: [4 mm, -0.2 mm, 2 mm], V3: [5 mm, 7 mm, 3 mm]}
END
run() { "$cardiac" run a.yaml --quiet --device cpu --overwrite "$@"; }
expect 0 "its heart has 12 mm^3, the tissue 12 mm^3; electrodes are at most 0.2 mm outside (LL)" "$cardiac" check a.yaml
! grep "warning: ecg" said || fail "a warning of a sound conductor"
expect 0 "" run --threads 1 --output one --set 'checkpoint.every=4 ms'
expect 0 "" run --threads 2 --output two
cmp one/ecg.csv two/ecg.csv || fail "threads change the leads"
grep -q "ecg: I, II, III, aVR, aVL, aVF, V3 every 1 ms; in the conductor, against its mean potential" one/run.log || fail "the log"
# the wave runs towards RA: I = LA - RA falls; leads keep their rules
awk -F, 'NR > 3 { if ($2 >= 0 || ($2 + $4 - $3) ^ 2 > 1e-20) bad = 1; n++ } END { exit bad || n != 7 }' one/ecg.csv || { cat one/ecg.csv; fail "signs"; }
if [ ! $sanitized ]; then # longer runs, by the same code
    local_ranks "$2" "$3"
    expect 0 "" here 2 "$local" run a.yaml --quiet --device cpu --threads 1 --output ranks
    cmp one/ecg.csv ranks/ecg.csv || fail "ranks change the leads"
    expect 0 "" "$cardiac" mesh refine heart.pts fine.pts
    expect 0 "" run --output fine --set mesh.file=fine.elem
    # factors by direction: constant ones are other conductivities, and ranks have those of their elements
    expect 0 "" run --output half --set 'tissue.regions[0].scale={longitudinal: 0.5, transverse: 2}'
    expect 0 "" run --output same --set 'tissue.regions[0].conductivity={intra: {longitudinal: 0.15 S/m, transverse: 0.2 S/m}, extra: {longitudinal: 0.3 S/m, transverse: 0.8 S/m}}'
    cmp half/ecg.csv same/ecg.csv || fail "factors by direction are not conductivities"
    cmp -s one/ecg.csv half/ecg.csv && fail "factors by direction change nothing"
    varied=(--set 'tissue.regions[0].scale={longitudinal: 1.2 - x / 8 mm, transverse: 0.5 + y / 4 mm}')
    expect 0 "" run --output varied "${varied[@]}"
    expect 0 "" here 2 "$local" run a.yaml --quiet --device cpu --threads 1 --output varied-ranks "${varied[@]}"
    cmp varied/ecg.csv varied-ranks/ecg.csv || fail "ranks change the leads of factors by direction"
    paste -d, one/ecg.csv fine/ecg.csv | awk -F, 'NR == 8 { exit !($2 / $10 > 0.8 && $2 / $10 < 1.25) }' || fail "a finer tissue has other leads"
fi

# a thin line through the heart, before the tetrahedra in its file, gives none of them its conductivity
sed '1 { s/.*/577/; a Ln 0 179 101
}' heart.elem > thread.elem && cp heart.pts thread.pts
sed 's/heart.elem/thread.elem/; s/    - model:.*/    - {tags: [101], model: mitchell-schaeffer, radius: 0.1 um, conductivity: {intra: 4 S\/m, extra: 4 S\/m}}\n    - tags: all\n      model: mitchell-schaeffer/' a.yaml > thread.yaml
expect 0 "its heart has 12 mm^3, the tissue 12 mm^3" "$cardiac" run thread.yaml --device cpu --output thread
paste -d, one/ecg.csv thread/ecg.csv | awk -F, 'NR > 3 { if (($2 / $10 - 1) ^ 2 > 1e-8) bad = 1; n++ } END { exit bad || n != 7 }' || fail "a thin line has other leads"

expect 0 "" "$cardiac" bundle two kept # the conductor is of two files
expect 0 "the same bits as in kept: " "$cardiac" run kept --device cpu --threads 1

# resumed: with the conductor that it had, and not with another
cp box.elem good.elem
rm one/checkpoint-160.h5
expect 0 "resumed" "$cardiac" run a.yaml --device cpu --resume --output one --set 'checkpoint.every=4 ms'
cmp one/ecg.csv two/ecg.csv || fail "the resumed leads"
rm one/checkpoint-160.h5
awk 'NR == 2 { $6 = 5 - $6 } { print }' good.elem > box.elem
expect 2 "resume refused" "$cardiac" run a.yaml --device cpu --resume --output one --set 'checkpoint.every=4 ms'
cp good.elem box.elem

wrong() { local text=$1; shift; expect 2 "$text" "$cardiac" check a.yaml "$@"; }
all='tags: [1, 2, 3], conductivity: 0.4 S/m'
wrong "ecg.conductor.regions: element 0 of box.elem has tag 2, which is in no list and so the heart's, but is 3.62 mm from the tissue" --set 'ecg.conductor.regions=[{tags: [3], conductivity: 1 S/m}]'
wrong "none is left for the heart" --set "ecg.conductor.regions=[{$all}]"
wrong "ecg.conductor.regions[0].tags: no element of box.elem has such a tag" --set 'ecg.conductor.regions=[{tags: [7], conductivity: 1 S/m}]'
wrong "ecg.conductor.regions[1].tags: tag 3 is already in another region" --set 'ecg.conductor.regions=[{tags: [2, 3], conductivity: 1 S/m}, {tags: [3], conductivity: 2 S/m}]'
wrong "ecg.electrodes: LA is at 1e+300 mm; at most 1e+09 mm" --set 'ecg.electrodes={LA: [0 mm, 1e300 mm, 0 mm]}'
expect 0 "regions[0].conductivity: is 50 S/m; the body has 0.0001 S/m to 5 S/m; 50 mS/m was meant?" "$cardiac" check a.yaml --set 'ecg.conductor.regions=[{tags: [2, 3], conductivity: 50 S/m}]'
wrong "must be a list of tags" --set 'ecg.conductor.regions=[{tags: all, conductivity: 1 S/m}]'
wrong "ecg.conductor.regions[0].conductivity: is missing" --set 'ecg.conductor.regions=[{tags: [2]}]'
wrong "ecg.conductor.regions[0].conductivity: '0 S/m' must be positive" --set 'ecg.conductor.regions=[{tags: [2], conductivity: 0 S/m}]'
wrong "ecg.conductor.file: 17568 of 18144 elements lie in an anisotropic region and have no nonzero fibre direction" --set 'ecg.conductor.regions=[{tags: [2, 3], conductivity: {longitudinal: 1 S/m, transverse: 0.2 S/m}}]'
wrong "{intra: .., extra: ..} is required with ecg.conductor" --set 'tissue.regions[0].conductivity=0.1 S/m'
wrong "intra and extra are both 0 in a direction" --set 'tissue.regions[0].conductivity={intra: {longitudinal: 0.3 S/m, transverse: 0 S/m}, extra: {longitudinal: 0.3 S/m, transverse: 0 S/m}}'
echo RA,LA > fields.csv
# along the sheets si and se differ from those across, and their harmonic mean does not: the tissue needs no sheets, the conductor does
wrong "576 of 18144 elements lie in an anisotropic region and have no nonzero fibre or sheet direction" --set 'tissue.regions[0].conductivity={intra: {longitudinal: 0.3 S/m, transverse: 0.25 S/m, normal: 0.1875 S/m}, extra: {longitudinal: 0.6 S/m, transverse: 0.25 S/m, normal: 0.375 S/m}}'
wrong "cannot be combined with ecg.lead_fields" --set ecg.lead_fields=fields.csv --set 'ecg.electrodes={}'
wrong "ecg.conductor: file is missing" --set 'ecg.conductor={regions: []}'
wrong "box.vtu" --set 'ecg.conductor.file=box.vtu'
wrong "the tissue must be of tetrahedra" --set 'mesh={cable: {length: 4 mm, spacing: 0.5 mm}}'
expect 0 "" "$cardiac" mesh slab thin.pts --size 4mm,2mm,1mm --spacing 0.5mm
awk 'NR > 1 { $1 += 2500; $2 += 2500; $3 += 2000 } { print }' thin.pts > moved && mv moved thin.pts
wrong "45 of 180 nodes of the tissue lie outside the conductor, node 135 by 0.5 mm" --set 'ecg.conductor={file: thin.elem, regions: []}'
n=$(head -1 box.pts)
{ echo $((n + 4)); sed 1d box.pts; echo "0 0 20000"; echo "100 0 20000"; echo "0 100 20000"; echo "0 0 20100"; } > parts.pts
{ echo $(($(head -1 box.elem) + 1)); sed 1d box.elem; echo "Tt $n $((n + 1)) $((n + 2)) $((n + 3)) 2"; } > parts.elem
wrong "has 2 parts that no element joins" --set ecg.conductor.file=parts.elem
expect 0 "electrodes far outside were moved to its surface: 1, of these V3 by 5 mm" "$cardiac" check a.yaml --set 'ecg.electrodes={V3: [5 mm, 12 mm, 3 mm]}'
expect 0 "ecg.conductivity: has no effect" "$cardiac" check a.yaml --set 'ecg.conductivity=1 S/m'
awk 'NR > 1 && $6 == 1 && NR % 4 == 0 { $6 = 2 } { print }' good.elem > box.elem
expect 0 "has 9 mm^3, the tissue 12 mm^3" "$cardiac" check a.yaml
echo "an ECG in a conductor"
