#!/bin/sh
# reference.sh CARDIAC SOURCE NAME TOLERANCE DEVICE: the run of tests/reference/NAME.yaml against the stored NAME.h5, V and
# all states in fp64. On the device `cpu` also the proof that it bites: 1401 in place of 1400 /cm of membrane must differ.
cardiac=$1 folder=$2/tests/reference name=$3 tolerance=$4 device=$5
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# Any machine has the first two; another is skipped where it is not.
case $device in
cpu | cpu-plain) ;;
*) "$cardiac" run "$folder/$name.yaml" --device "$device" --dry-run --quiet >/dev/null 2>&1 || exit 77 ;;
esac

# run OUTPUT [OPTION...]: its only checkpoint, that of the last step, becomes OUTPUT
run() {
    output=$1
    shift
    "$cardiac" run "$folder/$name.yaml" --device "$device" --threads 1 --quiet --output "$scratch/run" "$@" || return 2
    mv "$scratch"/run/checkpoint-*.h5 "$output" && rm -r "$scratch/run"
}

run "$scratch/now.h5" || { echo "the run failed" && exit 1; }
"$cardiac" compare "$folder/$name.h5" "$scratch/now.h5" --tolerance "$tolerance" || exit 1
[ "$device" = cpu ] || exit 0

run "$scratch/other.h5" --set 'tissue.surface_to_volume=1401 /cm' || { echo "the changed run failed" && exit 1; }
"$cardiac" compare "$folder/$name.h5" "$scratch/other.h5" --tolerance "$tolerance" >"$scratch/log" 2>&1
status=$?
[ $status = 1 ] || { cat "$scratch/log" && echo "status $status, want 1: a change of the tissue was not seen" && exit 1; }
echo "a change of 0.07 % in the tissue is seen"
