#!/bin/bash
# old_text.sh PROGRAM OTHER_TEXT: a run of a built-in model is not resumed from the checkpoint of a program with another text of that
# model or with other bounds on the matrix, and is from its own.
. "$(dirname "$0")/../support/run_helpers.sh"
other_text=$2
cat > cable.yaml <<END
version: 1
mesh: {cable: {length: 3.1 mm, spacing: 0.1 mm}}
tissue: {surface_to_volume: 1400 /cm, regions: [{tags: all, model: luo-rudy-1991, conductivity: 0.1 S/m}]}
stimuli: [{sphere: {centre: [0 mm, 0 mm, 0 mm], radius: 0.5 mm}, duration: 1 ms, current: 60 uA/uF}]
time: {end: 2 ms, step: 0.02 ms}
solver: {method: jacobi}
output: {every: 1 ms}
checkpoint: {every: 1 ms}
END
expect 0 "" "$cardiac" run cable.yaml --quiet --output new
cp -r new old
rm old/checkpoint-*.h5
expect 0 "" "$other_text" new/checkpoint-100.h5 old
expect 2 "the text of a model has changed since (luo-rudy-1991)" "$cardiac" run cable.yaml --quiet --output old --resume --set time.end=3ms
rm old/checkpoint-*.h5
expect 0 "" "$other_text" new/checkpoint-100.h5 old bounds
expect 2 "used other bounds on the matrix's spectrum (0 clusters, jacobi, factor 2; this version: 0 clusters, jacobi, factor 1)" "$cardiac" run cable.yaml --quiet --output old --resume --set time.end=3ms
expect 0 "" "$cardiac" run cable.yaml --quiet --output new --resume --set time.end=3ms
