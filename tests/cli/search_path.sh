#!/bin/sh
# search_path.sh BUILD CMAKE: every program and library of the build, and every one that is installed, names whole directories for the
# loader to search: an empty element of the list, or a relative one, is the directory that the user happens to stand in.
build=$1 cmake=$2
command -v readelf >/dev/null || { echo "no readelf here: skipped"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

# check_file FILE: passes what is no ELF file
check_file() {
    paths=$(readelf -d "$1" 2>/dev/null | sed -n 's/.*(\(RPATH\|RUNPATH\)).*\[\(.*\)\]$/\2/p')
    [ -n "$paths" ] || return 0
    case ":$paths:" in
        *::*) fail "$1: an empty element in its search path: [$paths]" ;;
    esac
    echo "$paths" | tr ':' '\n' | grep -v '^/' | grep -vF "\$ORIGIN" && fail "$1: a relative element in its search path: [$paths]"
    checked=$((checked + 1))
}

"$cmake" --install "$build" --prefix "$scratch/to" >"$scratch/said" 2>&1 || { cat "$scratch/said"; fail "the installation"; }
[ -x "$scratch/to/bin/cardiac" ] || fail "no program is installed"
checked=0
for file in "$build"/cardiac* "$build"/*.so "$build"/test_* "$scratch/to/bin"/* "$scratch/to/lib/cardiac"/*; do
    [ ! -f "$file" ] || check_file "$file"
done
echo "$checked search paths hold whole directories alone"
