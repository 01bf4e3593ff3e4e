#!/bin/sh
# compiled_texts.sh COMPILE_TEXT CC ROOT TEXTS [DT [UNTIL [NAME...]]]: every text of a folder that has a trace beside it, compiled and
# stepped against it by compiled_check.c: a line each. By itself two beats in steps of 1e-4 ms, which takes half an hour; 1e-3 a few minutes.
compile_text=$1 cc=$2 root=$3 texts=$4 dt=${5:-0.0001} until=${6:-2000}
[ -d "$texts/traces" ] || exit 77
[ $# -gt 6 ] && shift 6 || set -- $(cd "$texts/traces" && ls *.csv | sed 's/[.]csv$//')
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
wrong=0
for name; do
    printf '%s: ' "$name"
    "$compile_text" "$texts/$name.mmt" text "$dir/text.h" &&
        $cc -std=c17 -D_GNU_SOURCE -O2 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math -w -I"$root" \
            "-DCOMPILED=\"$dir/text.h\"" "$root/tests/kernels/compiled_check.c" -lm -o "$dir/check" &&
        "$dir/check" "$texts/traces/$name.csv" "$dt" "$until" 0.1 || wrong=$((wrong + 1))
done
echo "$wrong wrong"
[ $wrong -eq 0 ]
