#!/bin/sh
# wheel.sh BUILD PYTHON: the wheel of a build with CARDIAC_PORTABLE, in an environment that holds nothing else: its platform is that of
# the symbols of program and library, pip installs it, the program runs an example of its own, the library of the package opens, steps and
# needs no HDF5 of the system's, and pip removes all of it. The sdist has the files of the package. Skipped without venv.
build=$1
python=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
fail() { echo "$*" && exit 1; }
"$python" -m venv bare >said 2>&1 || { cat said && exit 77; }
cmake --install "$build" --prefix tree --strip >said 2>&1 || { cat said && exit 1; }
mkdir one two
"$python" "$source/app/package/wheel.py" tree one >said && "$python" "$source/app/package/wheel.py" tree two >/dev/null || fail "no wheel"
wheel=$(sed -n 1p said) sdist=$(sed -n 2p said)
cmp "$wheel" "two/${wheel##*/}" && cmp "$sdist" "two/${sdist##*/}" || fail "two wheels or sdists of one tree"
tar -xzf "$sdist" && (cd "$source/app/python" && find pyproject.toml PYPI.md cardiac -name '*.py' -o -name '*.typed' -o -name 'p*.toml' -o -name '*.md') | while read -r file; do
    cmp "$source/app/python/$file" "$(basename "$sdist" .tar.gz)/$file" || exit 1
done || fail "the files of the sdist"
minor=$(strings -a tree/bin/cardiac tree/lib*/libcardiac.so 2>/dev/null | sed -n 's/^GLIBC_2[.]\([0-9]*\)$/\1/p' | sort -n | tail -1)
case $wheel in *-py3-none-manylinux_2_"${minor:-$(echo "$wheel" | sed 's/.*manylinux_2_\([0-9]*\)_.*/\1/')}"_*) ;; *) fail "$wheel, but symbols of glibc 2.$minor" ;; esac
case $(getconf GNU_LIBC_VERSION) in "glibc 2.36") [ "${minor:-0}" -le 34 ] || fail "built on Debian 12, it asks for glibc 2.$minor" ;; esac

find bare -type f -o -type l | LC_ALL=C sort >before
bare/bin/pip install -q --no-index --no-deps --no-compile "$wheel" >said 2>&1 || { cat said && fail "pip install"; }
program=bare/bin/cardiac
for example in quickstart heart; do
    env -i "$program" run "bare/share/cardiac/configs/$example.yaml" --set time.end=1ms --set output.probes={} --output "$example" >said 2>&1 ||
        { cat said && fail "$example"; }
done
[ "$(env -i "$program" --version)" = "$(tree/bin/cardiac --version)" ] || fail "version"
bare/bin/python -c "import importlib.util as u; print(u.find_spec('cardiac').origin)" | grep -q "^$scratch/bare/lib.*/cardiac/" || fail "the package"
library=$(find "$scratch/bare/" -name libcardiac.so | head -1) && [ "$library" ] || fail "no library in the package"
readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|libgcc_s|libgomp|ld-linux-x86-64)[.]so' && fail "what the library needs"
cat >use.py <<'END'
import ctypes, sys
lib, sim, ms = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), ctypes.c_double()
lib.cardiac_open_file.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_char_p]
lib.cardiac_advance.argtypes, lib.cardiac_time.argtypes = [ctypes.c_void_p, ctypes.c_double], [ctypes.c_void_p, ctypes.POINTER(ctypes.c_double)]
lib.cardiac_close.argtypes = [ctypes.c_void_p]
assert lib.cardiac_open_file(ctypes.byref(sim), sys.argv[2].encode(), None) == 0
assert lib.cardiac_advance(sim, 2) == 0 and lib.cardiac_time(sim, ctypes.byref(ms)) == 0
lib.cardiac_close(sim)
print(ms.value)
END
[ "$(bare/bin/python use.py "$library" bare/share/cardiac/configs/quickstart.yaml)" = 2.0 ] || fail "the library of the package"
bare/bin/pip uninstall -q -y cardiac-monodomain >said 2>&1 || { cat said && fail "pip uninstall"; }
find bare -type f -o -type l | LC_ALL=C sort | diff before - || fail "what it leaves"
