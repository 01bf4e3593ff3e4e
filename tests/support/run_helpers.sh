# run_helpers.sh: read by the tests of whole runs, with the program as their first argument: a scratch folder that goes with the
# test, and what they expect of a command.
set -u
cardiac=$1
helpers=$(cd "$(dirname "$0")/../support" && pwd)
dir=$(mktemp -d) || exit 1
trap 'kill $(jobs -p) 2> /dev/null; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
sanitized= && grep -q __asan_init "$cardiac" && sanitized=yes
if [ $sanitized ]; then # an interpreter of the program's scripts that can load its library
    scripts=$(mktemp -d) && trap 'kill $(jobs -p) 2> /dev/null; rm -rf "$dir" "$scripts"' EXIT
    printf '#!/bin/sh\nexport LD_PRELOAD="%s %s" ASAN_OPTIONS=detect_leaks=0\nexec %s "$@"\n' "$(cc -print-file-name=libasan.so)" \
        "$(cc -print-file-name=libubsan.so)" "${CARDIAC_PYTHON:-$(command -v python3)}" > "$scripts/python3" && chmod +x "$scripts/python3"
    export CARDIAC_PYTHON=$scripts/python3
fi

fail() { echo "FAILED: $*"; exit 1; }
full() { [ "${CARDIAC_TESTS:-}" = full ]; } # by `ctest -C full -L full` (test_full in tests/CMakeLists.txt): the longer proofs too
expect() { # expect STATUS TEXT COMMAND...: exit status, and a text in what it prints
    local status=$1 text=$2 all=; shift 2
    "$@" > said 2>&1; local got=$?
    [ $got = "$status" ] || { cat said; fail "status $got, want $status: $*"; }
    if [ "$text" ]; then IFS= read -rd '' all < said; fi # a grep takes as long as many of these commands
    [[ $all == *"$text"* ]] || { cat said; fail "no '$text' from: $*"; }
}
without_pages() { # from here on studies draw none, which takes longer than what they compute here
    mkdir -p "$dir/.python" && echo 'raise ModuleNotFoundError("not here", name="matplotlib")' > "$dir/.python/matplotlib.py" && export PYTHONPATH=$dir/.python
}
cold=${CARDIAC_PYTHON:-} # CARDIAC_PYTHON=$cold for a call that warm_python does not hold for: what a start imports, limits, SIGSTOP
warm_python() { # from here on the program's scripts are forks of one interpreter, whose start takes longer than most of what they do here
    if full || [ $sanitized ]; then return; fi
    mkdir "$dir/.warm"
    PYTHONPATH=$(dirname "$cardiac")/python "${CARDIAC_PYTHON:-python3}" "$helpers/warm_python.py" "$dir/.warm/python3" numpy numpy.ma h5py \
        cardiac.__main__ cardiac.simulation cardiac.batch cardiac.studies.study < /dev/null > /dev/null 2>&1 &
    local server=$!
    disown
    warm_or_gone() { [ -x "$dir/.warm/python3" ] || ! kill -0 $server 2> /dev/null; }
    wait_for "interpreter" warm_or_gone
    if [ -x "$dir/.warm/python3" ]; then export CARDIAC_PYTHON=$dir/.warm/python3; fi
}
wait_for() { # wait_for WHAT COMMAND...: until it holds, which on a machine that does much else takes its time
    local what=$1 until=$((SECONDS + 120)); shift
    until "$@"; do
        [ $SECONDS -lt $until ] || fail "no $what"
        sleep 0.02
    done
}
same() { # same A B: two checkpoints or results, bit for bit
    expect 0 "" "$cardiac" compare "$1" "$2" --tolerance 0
}
local_ranks() { # local_ranks START COMM: `here N COMMAND...` runs ranks of the program $local without MPI (start_ranks.c)
    start=$1 local=$dir/local/cardiac
    mkdir "$dir/local" && cp "$2" "$dir/local/libcardiac_comm.so" && { ln "$cardiac" "$local" 2> /dev/null || cp "$cardiac" "$local"; } || exit 1
}
mpi_is_here() { command -v mpirun > /dev/null && [ -e "$(dirname "$cardiac")/libcardiac_comm.so" ]; }
here() { timeout -k 5 240 "$start" "$@"; }
