#!/bin/sh
# vector.sh REGISTER ARCHIVE...: the loop of the ten Tusscher-Panfilov cell in an instruction set's object really is
# vectorised: packed fma on REGISTER (zmm, ymm) in plenty, no call to a fma function.
register=$1
shift
command -v objdump >/dev/null || exit 77
for object in "$@"; do
    case $object in *models/tp06.c*) found=$object ;; esac
done
[ -n "${found:-}" ] || { echo "no object of tp06.c among $*" && exit 1; }
objdump -d --no-show-raw-insn "$found" | awk -v register="$register" '
    /^[0-9a-f]+ </ { inside = $0 ~ /tp06_step/ }
    inside && $0 ~ "vfn?m(add|sub)[0-9]+p[sd].*" register { packed++ }
    inside && /call.*<fmaf?[>@]/ { calls++ }
    END { printf "%d packed fma on %s, %d calls of fma\n", packed, register, calls; exit !(packed > 1000 && !calls) }'
