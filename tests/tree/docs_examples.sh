#!/bin/sh
# docs_examples.sh SOURCE CARDIAC [PYTHON]: the examples of the documents that are no commands: docs/user/opencarp.yaml
# (with files as openCARP has them), the configs of heart.md and networks.md, and docs/user/read_h5py.py and alternans.py, the Python of python.md
# and app/python/PYPI.md (where h5py and numpy are).
source=$1
cardiac=$2
python=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0

# block KIND FILE [N]: the first block of that kind, or the Nth
block() {
    awk -v kind="$1" -v n="${3:-1}" '/^```/ { if (inside) exit; inside = $0 == "```" kind && --n == 0; next } inside' "$2"
}

# slab.pts, .elem and .lon: a slab whose fibres all lie along x, as its own simulator makes it
cp "$source/docs/user/opencarp.yaml" case.yaml || exit 1
"$cardiac" mesh slab slab.pts --size 3mm,2mm,1mm --spacing 0.5mm || exit 1
awk 'NR == 1 { print 1; n = $1 } END { while (n--) print "1 0 0" }' slab.elem >slab.lon
printf '4\nintra\n0 1 7 8\n' >corner.vtx
"$cardiac" check case.yaml >said 2>&1 || { cat said && failed=1; }
grep -q "fibres     one per element" said && grep -q "stimulus S1: 4 nodes, 50 uA/uF" said || { cat said && failed=1; }
grep "warning" said | grep -v "too coarse: a front" && cat said && failed=1 # edges of 0.5 mm are
"$cardiac" run case.yaml --set time.end=2ms --quiet --output case || failed=1

block yaml "$source/docs/user/heart.md" >heart.yaml
"$cardiac" mesh convert "$source/meshes/heart.msh.gz" heart.msh --scale 1mm >said 2>&1 || { cat said && failed=1; }
"$cardiac" check heart.yaml --set time.step=0.1ms >said 2>&1 && grep -q "^region 1: tp06-m, [0-9]* elements, g_Ks " said && grep -q "^region 2: tp06-epi, " said ||
    { cat said && failed=1; }
# the human heart's study, on the small one: as large, and stimulated elsewhere
sed 's/geo1.ele, scale: 1 mm/heart.msh, scale: 3 mm/; s/ball(\[[^]]*\], 5 mm)/z < 0 mm/' "$source/docs/user/geo1.yaml" >study.yaml
"$cardiac" run study.yaml --dry-run >said 2>&1 && grep -q "^region 2: tp06-epi, .* by 1 + 0.4" said && grep -q "^stimulus S5: [0-9]" said || { cat said && failed=1; }

block yaml "$source/docs/user/networks.md" >network.yaml
"$cardiac" mesh cable bundle.vtu --size 8mm --spacing 0.2mm >said && "$cardiac" run network.yaml >said 2>&1 || { cat said && failed=1; }
line=$(grep "^network 0" "$source/docs/user/networks.md")
grep -qF "$line" said && grep -q "^activated: 1070 of 1070 nodes" said || { cat said && failed=1; }
"$cardiac" run "$source/configs/niederer.yaml" --set mesh.slab.spacing=1mm --set solver.method=chebyshev --set time.end=4ms --quiet --output . || exit 1
[ -n "$python" ] && "$python" -c "import h5py, numpy" 2>/dev/null ||
    { echo "no h5py and numpy: the Python of the documents is not tested: skipped" && [ $failed = 0 ] && exit 77; exit $failed; }
"$python" -B "$source/docs/user/read_h5py.py" >said 2>&1 || { cat said && failed=1; }
grep -q "^4.0 -8.* [0-3][.][0-9]* mV$" said || { cat said && failed=1; }
cp -r "$source/configs" .
export CARDIAC="$cardiac" PYTHONPATH="$source/app/python" PYTHONWARNINGS=ignore
# those that take seconds run, and print the page's own numbers, with CARDIAC_TESTS=full (test_full); here they are Python, no more
long() {
    [ "${CARDIAC_TESTS:-}" = full ] && return
    "$python" -c 'import sys; compile(sys.stdin.read(), sys.argv[1], "exec")' "$1" <example.py || failed=1
    return 1
}
# runs PAGE PATTERN: example.py prints a line of that pattern
runs() { "$python" -B example.py >said 2>&1 && grep -Eq "$2" said || { echo "$1" && cat said && failed=1; }; }
block python "$source/docs/user/python.md" 2 >example.py
runs "python.md, block 2" '^8.0 \('
block python "$source/docs/user/python.md" 1 >example.py
if long python.md; then runs "python.md, block 1" 'the wave comes back at \[( *[0-9]+[.]){4}'; fi
cp "$source/docs/user/alternans.py" example.py
if long alternans.py; then runs alternans.py "^$(grep -o 'alternans begins at 3[^`]*' "$source/docs/user/python.md")\$"; fi
block python "$source/docs/user/drug.md" >example.py
if long drug.md && "$python" -c "import pandas" 2>/dev/null; then
    awk '/^```/ { name = $1 == "```yaml" ? $2 : ""; next } name != "" { print >name }' "$source/docs/user/drug.md"
    "$python" -B example.py >said 2>warned && block text "$source/docs/user/drug.md" | diff - said || { echo "drug.md" && cat warned said && failed=1; }
fi
block python "$source/docs/user/own.md" >example.py
if long own.md; then
    runs own.md '^0[.]348 m/s'
    grep -q "It prints $(tail -1 said)" "$source/docs/user/own.md" || { echo "own.md" && cat said && failed=1; }
fi
block python "$source/app/python/PYPI.md" >example.py
if long PYPI.md; then runs PYPI.md '^\[ *0[.]8.* 26[.]'; fi
exit $failed
