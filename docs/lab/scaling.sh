#!/bin/bash
# scaling.sh CARDIAC OUT [CONFIG]: on 1, 2, 4 and 8 GPUs of this machine, as far as there are any, what a step takes and whether its
# bits are those of one. Into OUT: scaling.csv (docs/lab/scaling.py), logs. Some of it: CASES="strong heart" METHODS=rkl2 GPUS="1 2".
set -u
cardiac=$(realpath "$1") out=$2 config=${3:+$(realpath "$3")}
slab=$(cd "$(dirname "$0")/../.." && pwd)/configs/niederer.yaml
there=$("$cardiac" info | grep -c "^cuda:[0-9]")
mkdir -p "$out" && cd "$out" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "case,method,gpus,nodes,ms_per_step,sweeps_per_step,border,stores_us,stores_tested_us,nccl_us,nccl_tested_us" > scaling.csv

# of CASE GPUS: the settings of its mesh
of() {
    case $1 in
    small) echo mesh.slab.spacing=0.1mm ;;                                                        # 0.4 million nodes
    million) echo "mesh.slab={size: [19.8 mm, 19.8 mm, 19.8 mm], spacing: 0.2 mm}" ;;             # 1
    strong) echo mesh.slab.spacing=0.05mm ;;                                                      # 3.4
    strong27) echo mesh.slab.spacing=0.025mm ;;                                                   # 27
    strong80) echo "mesh.slab={size: [20 mm, 7 mm, 9 mm], spacing: 0.025 mm}" ;;                  # 81
    weak) echo "mesh.slab={size: [$(awk "BEGIN { print 14.5 * $2 }") mm, 14 mm, 3 mm], spacing: 0.05 mm}" ;; # 5 a GPU
    weak10) echo "mesh.slab={size: [$((29 * $2)) mm, 14 mm, 3 mm], spacing: 0.05 mm}" ;;         # 10 a GPU
    esac
}

# one CASE METHOD GPUS: 40 ms, of a large mesh 10, and a checkpoint of what has the same mesh on any number of GPUs
one() {
    local case=$1 method=$2 n=$3 to=$work/$1-$2-$3 log=$1-$2-$3.log step=0.02ms end=40ms save setting settings=() from=$slab
    [ "$case" != heart ] || from=$config
    [ "$case" = heart ] || settings=(--set output.probes={} --set "$(of "$case" "$n")")
    [ "$case" != million ] || step=0.05ms
    [[ $case != strong?* ]] || end=10ms
    save=$end
    [[ $case != weak* ]] || save=0ms
    for setting in time.step=$step time.end=$end checkpoint.every=$save solver.method="$method" solver.tolerance=1e-3mV \
        ionic.state=mixed ionic.tables=on output.every=1000ms; do settings+=(--set "$setting"); done
    "$cardiac" run "$from" "${settings[@]}" --gpus "$n" --output "$to" > "$log" 2>&1 || { echo "failed: $log"; tail -3 "$log"; return; }
    awk -v name="$case,$method,$n" 'BEGIN { OFS = "," }
        /^mesh: / { nodes = $2 } /^nodes of a rank/ { for (k = 1; k < NF; k++) if ($k == "sends") border = $(k + 1) }
        /^time a step:/ { ms = $4 } /^sweeps:/ { sweeps = $2 }
        /^exchange: / { sub(/.*NCCL takes /, ""); nccl = $1; tested = $3; if (match($0, /stores /)) { $0 = substr($0, RSTART); stores = $2; both = $4 } }
        END { print name, nodes, ms, sweeps, border, stores, both, nccl, tested }' "$log" | tee -a scaling.csv
    local first last
    first=$(echo "$work/$case-$method-1"/checkpoint-*.h5) last=$to/${first##*/}
    [ "$n" -gt 1 ] && [ -e "$first" ] || return
    "$cardiac" compare "$first" "$last" --tolerance 0 > "$log.equal" 2>&1 &&
        echo "$case $method $n: the bits of one" || { echo "$case $method $n: NOT the bits of one"; tail -3 "$log.equal"; }
}

for case in ${CASES:-small million strong weak heart}; do
    [ "$case$config" != heart ] || continue
    [ "$case" = heart ] && tested=chebyshev || tested=jacobi # which flat elements let diverge
    for method in ${METHODS:-rkl2 $tested}; do
        for n in ${GPUS:-1 2 4 8}; do
            [ "$n" -gt "$there" ] || one "$case" "$method" "$n"
        done
        rm -rf "$work"/*
    done
done
