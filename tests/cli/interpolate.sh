#!/bin/bash
# interpolate.sh PROGRAM: a tissue begins with the state of another mesh's nearest nodes that have its model, where the result's config
# gives the models and where only its states do; what is refused.
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/support/run_helpers.sh"
# config SPACING REGIONS
config() {
    cat <<END
version: 1
mesh: {sheet: {size: [4 mm, 2 mm], spacing: $1 mm}}
tissue:
  surface_to_volume: 1400 /cm
  regions:
$2
stimuli: [{box: {min: [0 mm, 0 mm, 0 mm], max: [0.5 mm, 2 mm, 0 mm]}, duration: 1 ms, current: 60 uA/uF}]
time: {end: 6 ms, step: 0.05 ms}
output:
  every: 6 ms
  precision: float64
  fields: [V, h${3-}]
  probes: {a: [0.5 mm, 1 mm, 0 mm], b: [2 mm, 0.5 mm, 0 mm], c: [3.5 mm, 2 mm, 0 mm]}
END
}
one='    - {model: mitchell-schaeffer, conductivity: 0.1 S/m}'
two='    - {where: x < 1.9 mm, model: mitchell-schaeffer, conductivity: 0.1 S/m}
    - {model: aliev-panfilov-1996, conductivity: 0.1 S/m}'
run() { expect 0 "$1" "$cardiac" run "$2.yaml" --device cpu --threads 1 --overwrite --output "$2" "${@:3}"; }
# begins OUT FROM: its probes at 0 ms have what those of FROM had at the end
begins() { [ "$(sed -n 2p $1/probes.csv | cut -d, -f2-)" = "$(tail -1 $2/probes.csv | cut -d, -f2-)" ] || { cat $1/probes.csv $2/probes.csv; fail "$1 from $2"; }; }
nearest() { echo --set initial.file=$1/run.vtkhdf; }

config 0.5 "$one" > coarse.yaml; config 0.25 "$one" > fine.yaml
run "" coarse
run "" fine $(nearest coarse); begins fine coarse
mv fine middle
run "" coarse $(nearest middle); begins coarse middle # the nodes of the coarse mesh are nodes of the fine one
run "" fine $(nearest middle)
! grep "two edge lengths" fine/run.log || fail "neighbours are far"
scaled=$(sed 's/4 mm, 2 mm/400 mm, 200 mm/; s/spacing: 0.25/spacing: 25/; s/probes: .*/probes: {}/' fine.yaml > large.yaml; echo large.yaml)
expect 0 "warning: initial.file: 152 of 153 nodes are farther than 0.565 mm" "$cardiac" run $scaled --device cpu --output large $(nearest middle)

# by its states alone: at x = 2 mm the nearest node that has the model
config 0.5 "$two" ", recovery.v" > coarse.yaml; config 0.25 "$two" ", recovery.v" > fine.yaml
run "" coarse
run "its config does not give the ionic models" fine $(nearest coarse); begins fine coarse

# a model without states begins with V alone; memory that was not written must not pass for zeros
passive=$(sed 's/aliev-panfilov-1996/passive/' <<< "$two")
config 0.5 "$passive" > coarse.yaml; config 0.25 "$passive" > fine.yaml
run "" coarse
MALLOC_PERTURB_=85 run "its config does not give the ionic models" fine $(nearest coarse)
volts() { awk -F, 'NR == 1 { for (k = 2; k <= NF; k++) is[k] = $k ~ /\(mV\)$/ } { row = ""; for (k = 2; k <= NF; k++) if (is[k]) row = row " " $k; print row }' $1/probes.csv; }
[ "$(volts fine | sed -n 2p)" = "$(volts coarse | tail -1)" ] && [ "$(volts coarse | tail -1 | wc -w)" = 3 ] || fail "V: $(volts fine | sed -n 2p), not $(volts coarse | tail -1)"

config 0.25 "$two" ", recovery.v" > fine.yaml
config 0.5 "$one" > coarse.yaml; run "" coarse
expect 2 "coarse/run.vtkhdf: it cannot be the initial state: aliev-panfilov-1996/recovery.v is missing" "$cardiac" run fine.yaml --output z $(nearest coarse)
echo "states of another mesh are those of its nearest nodes"
