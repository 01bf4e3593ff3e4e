#!/bin/bash
# thorax.sh PROGRAM: the thorax that meshes/thorax.py makes around a small heart, as docs/user/maps-and-ecg.md uses it, where Gmsh is at hand.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
command -v gmsh > /dev/null && python3 -c "import h5py, numpy" 2> /dev/null || { echo "no gmsh, h5py or numpy: skipped"; exit 77; }
export PATH="$(dirname "$cardiac"):$PATH"
python3 "$source/meshes/thorax.py" "$source/meshes/heart.msh.gz" torso.msh --scale 1mm > electrodes || fail "thorax.py"
expect 0 "" "$cardiac" mesh info torso.msh --scale 1mm
# as large as a man's by the third power of the size: blood in both cavities, lungs, and a heart of the same volume
awk '/tag/ { gsub(/[()]/, "", $0); for (k = 1; k < NF; k++) if ($k == "tag") { name = $(k + 2); sub(/:/, "", name); v[name] = $(NF - 1) } }
    END { exit !(v["heart"] > 0 && v["blood"] > 0.2 * v["heart"] && v["blood"] < 3 * v["heart"] && v["lungs"] > v["heart"] && v["body"] > 10 * v["heart"]) }' said ||
    { cat said; fail "the regions"; }
{
    cat <<'END'
version: 1
mesh: {file: heart.msh, scale: 1 mm}
tissue:
  surface_to_volume: 1400 /cm
  fibers: {rule: ldrb}
  regions: [{model: mitchell-schaeffer, conductivity: {intra: {longitudinal: 0.6 S/m, transverse: 0.2 S/m}, extra: {longitudinal: 1 S/m, transverse: 0.8 S/m}}}]
stimuli: [{where: z < -15 mm, duration: 2 ms, current: 50 uA/uF}]
time: {end: 20 ms, step: 0.05 ms}
END
    awk '/^```/ { inside = $0 == "```yaml"; next } inside && /^ecg:/ { ++n } inside && n == 2' "$source/docs/user/maps-and-ecg.md" | sed '/electrodes:/d'
    sed 's/^/  /' electrodes
} > a.yaml
gzip -dc "$source/meshes/heart.msh.gz" > heart.msh
expect 0 "ecg: I, II, III, aVR, aVL, aVF, V1, V2, V3, V4, V5, V6 every 1 ms; in the conductor" "$cardiac" run a.yaml --device cpu
! grep "warning: ecg" said || fail "a warning"
echo "a thorax around a heart"
