#!/usr/bin/env bash
# bootstrap.sh: from a fresh Debian 12 or 13 or Ubuntu 24.04 to a program, a result or a test report.
#
#   ./bootstrap.sh run [CONFIG]   run CONFIG (configs/ventricle.yaml) and write its page; in a fresh tree, first build a program for this CPU
#   ./bootstrap.sh build          build to build/ with all optimisation, and CUDA where nvcc is; the program is build/cardiac
#   ./bootstrap.sh build PRESET   build all that the tests of PRESET need
#   ./bootstrap.sh test [PRESET]  build, then run all tests; PRESET is one of CMakePresets.json (default, asan, ...)
#
# What the build lacks is installed with apt; when nothing is missing, neither apt nor sudo is called. Elsewhere
# (clusters, no root) see docs/user/building.md.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
packages=(gcc libc6-dev cmake make pkg-config libhdf5-dev libyaml-dev zlib1g-dev)

say() { printf '%s\n' "$@"; }
die() {
    printf 'bootstrap.sh: %s\n' "$@" >&2
    exit 1
}

# folder PRESET: where a preset builds, by CMakePresets.json
folder() { if [ "$1" = default ]; then say build; else say "build-$1"; fi; }

# What is judged is whether the build finds what it needs, not which package it came from: on a cluster nothing of it
# is a package.
configure() {
    local cache generator=()
    cache=$(folder "$1")/CMakeCache.txt
    # ninja takes 13 s less of a processor than make, of some 200 s without a compiler cache
    if [ ! -e "$cache" ] && command -v ninja >/dev/null; then generator=(-G "${CMAKE_GENERATOR:-Ninja}"); fi
    mkdir -p "$(folder "$1")"
    cmake --preset "$1" "${generator[@]}" "-DCARDIAC_QUICK=$quick" >"$(folder "$1")/configure.log" 2>&1
}

missing_packages() {
    for package in "${packages[@]}"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$' || say "$package"
    done
}

install_missing() {
    local missing as_root=()
    missing=$(missing_packages)
    if [ -z "$missing" ] || ! command -v apt-get >/dev/null; then
        cat "$(folder "$1")/configure.log" >&2
        die "cmake failed as shown above; what the build needs: docs/user/building.md"
    fi
    missing=$(tr '\n' ' ' <<<"$missing")
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            die "missing: $missing" "ask for: apt-get install $missing" "or build without root: docs/user/building.md"
        as_root=(sudo)
    fi
    say "installing: $missing"
    "${as_root[@]}" apt-get update -q
    # shellcheck disable=SC2086 # one word per package
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
}

# build PRESET [TARGET]: all of it, tests too, or one target
build() {
    if ! configure "$1"; then
        install_missing "$1"
        rm -f "$(folder "$1")/CMakeCache.txt" # it remembers what was not found
        configure "$1" || {
            cat "$(folder "$1")/configure.log" >&2
            die "cmake failed as shown above"
        }
    fi
    cmake --build "$(folder "$1")" -j "$(nproc)" --target "${2:-all}"
}

# Several ranks are tested where an MPI is there or can be had; the program needs none.
want_mpi() {
    command -v mpicc >/dev/null && command -v mpirun >/dev/null && return
    command -v apt-get >/dev/null || return 0
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null || return 0
    (
        packages+=(libopenmpi-dev openmpi-bin)
        install_missing "$1"
    ) || { say "no MPI to be had: tests of several ranks are skipped"; return; }
    rm -f "$(folder "$1")/CMakeCache.txt" # it remembers what was not found
}

# want_python PRESET MODULE ...: scripts of the program (cardiac import) need numpy and h5py, pages of results (cardiac
# report) also matplotlib; the program itself needs none.
want_python() {
    local preset=$1 modules
    shift
    modules=$(printf ', %s' "$@")
    modules=${modules#, }
    python3 -c "import $modules" 2>/dev/null && return
    command -v apt-get >/dev/null || return 0
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null || return 0
    (
        packages+=("${@/#/python3-}")
        [ -z "$(missing_packages)" ] || install_missing "$preset"
    ) || true # apt has printed why
    python3 -c "import $modules" 2>/dev/null || say "$modules: not to be had by apt for $(command -v python3 || echo python3); what needs them is left out"
}

run() {
    local result page
    cd "$caller" # a config and its output folder are named from where the user stands
    "$root/build/cardiac" run "$1" --overwrite | tee "$root/build/run.out"
    result=$(sed -n 's/^results: \(.*\)[.]vtkhdf and .*/\1/p' "$root/build/run.out")
    say "" "Open it:"
    if page=$("$root/build/cardiac" report "$result.vtkhdf"); then say "  xdg-open $page      (a browser)"; fi
    say "  paraview $result.xdmf           (any ParaView)"
    say "  paraview $result.vtkhdf         (ParaView 5.12 or newer)"
    if [ "$quick" = ON ]; then
        say "" "This program was compiled for a first look. ./bootstrap.sh build builds the complete one (GPUs, all optimisation)."
    fi
}

# Runs the tests and closes with the parts that tests which passed have left out, by their own words, and one line of
# totals. Whatever neither passed nor was skipped has failed, a test whose program is missing included.
run_tests() {
    local report status=0 total passed skipped
    report=$(pwd)/$(folder "$1")/tests.xml
    rm -f "$report"
    ctest --preset "$1" -j "$(($(nproc) + 2))" --output-junit "$report" --test-output-size-passed 1000000 || status=$? # some of them wait, for seconds
    [ -s "$report" ] || die "ctest left no report"
    total=$(grep -c '<testcase ' "$report" || true)
    passed=$(grep -c '<testcase .*status="run"' "$report" || true)
    skipped=$(grep -c '<skipped message="SKIP_RETURN_CODE=' "$report" || true)
    [ "$total" -gt 0 ] || die "there is no test"
    awk '/<testcase / { split($0, word, "\""); test = word[2]; ran = /status="run"/ }
        ran && /: skipped|[.][.][.] skipped / { sub(/^.*<system-out>/, ""); print (parts++ ? "" : "left out of tests that passed:\n") "  " test ": " $0 }' "$report"
    say "$passed passed, $((total - passed - skipped)) failed, $skipped skipped"
    return "$status"
}

caller=$(pwd)
cd "$root"
quick=OFF
case ${1:-} in
build)
    [ $# -le 2 ] || die "build takes one preset"
    if [ $# -eq 2 ]; then want_mpi "$2"; build "$2"; exit; fi
    want_python default numpy h5py
    build default cardiac
    say "built: $root/build/cardiac"
    ;;
run)
    [ $# -le 2 ] || die "run takes one config"
    # a complete program stays complete
    if [ ! -e build/cardiac ] || grep -q '^CARDIAC_QUICK:BOOL=ON' build/CMakeCache.txt 2>/dev/null; then quick=ON; fi
    want_python default numpy h5py matplotlib
    build default cardiac
    run "${2:-$root/configs/ventricle.yaml}"
    ;;
test) [ $# -le 2 ] || die "test takes one preset"; want_mpi "${2:-default}"; want_python "${2:-default}" numpy h5py; build "${2:-default}"; run_tests "${2:-default}" ;;
*)
    sed -n '3,7s/^#  *//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
