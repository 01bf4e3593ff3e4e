#!/bin/sh
# vector.sh REGISTER OBJECT...: the steps of every cell that is a text really are vectorised in an instruction set's objects: packed
# arithmetic on REGISTER (zmm, ymm) in plenty (12 in the shortest model; a loop of scalars has none), no call to a fma function.
register=$1
shift
command -v objdump >/dev/null || exit 77
checked=0
for object in "$@"; do
    case $object in */tp06.c* | */[a-z]*_[12][09][0-9][0-9].c*) ;; *) continue ;; esac
    checked=$((checked + 1))
    objdump -d --no-show-raw-insn "$object" | awk -v register="$register" -v object="${object##*/}" '
        /^[0-9a-f]+ </ { inside = $0 ~ /_(step|tabled)_block_/ ? $2 : ""; if (inside) packed[inside] = 0 }
        inside && $0 ~ "v(fn?m|add|sub|mul)[a-z0-9]*p[sd] .*" register { packed[inside]++ }
        inside && /call.*<fmaf?[>@]/ { calls++ }
        END { for (name in packed) { loops++; if (packed[name] < 10) { print object, name, packed[name] " packed operations on " register; bad++ } }
              if (loops < 2) print object, loops + 0 " loops of steps"
              exit bad || calls || loops < 2 }' || exit 1
done
echo "$checked objects"
[ $checked -ge 6 ]
