#!/bin/sh
# model_unit.sh MODEL_COMPILER TEXTS: a model's unit is written only where its text differs from the one that is there.
set -eu
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
cp "$2"/fenton_karma_1998.* "$dir"
mkdir "$dir/unit"
"$1" unit fenton_karma_1998 "$dir" "$dir/unit"
touch -d 2001-01-01 "$dir"/unit/*
touch "$dir/after"
"$1" unit fenton_karma_1998 "$dir" "$dir/unit"
[ -z "$(find "$dir/unit" -newermt 2002-01-01 -type f)" ] || { echo "the same unit was written again"; exit 1; }
sed -i 's/^tau_0 = 12.5/tau_0 = 12.6/' "$dir/fenton_karma_1998.mmt"
"$1" unit fenton_karma_1998 "$dir" "$dir/unit"
[ "$(cd "$dir/unit" && find . -newermt 2002-01-01 -type f)" = ./fenton_karma_1998_values.h ] || { echo "an edited constant changed other files than the values"; exit 1; }
sed -i 's/ u [/] tau_0/ 2 * u \/ tau_0/' "$dir/fenton_karma_1998.mmt"
"$1" unit fenton_karma_1998 "$dir" "$dir/unit"
[ "$(find "$dir/unit" -newermt 2002-01-01 -name '*.h' | wc -l)" = 2 ] || { echo "an edited formula kept its unit"; exit 1; }
