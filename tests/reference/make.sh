#!/bin/sh
# make.sh CARDIAC: makes the stored results of this folder anew, one command for each config.
cardiac=$(realpath "$1") || exit 2
cd "$(dirname "$0")" || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

grep -v '^#' cases | while read -r name _; do
    "$cardiac" run "$name.yaml" --device cpu --threads 1 --output "$scratch/$name" --quiet || exit 1
    mv "$scratch/$name"/checkpoint-*.h5 "$name.h5" || exit 1 # the last step's, the only one
done
