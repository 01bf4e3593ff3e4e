#!/bin/bash
# smallest.sh SOURCE CARDIAC: the smallest program builds from the source: no bench, no `verify`, no tests, MPI, CUDA or Python. It runs
# configs/cable.yaml where no other program is found, with the bits of CARDIAC's run.
source=$1 cardiac=$2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
fail() { echo "$*" && exit 1; }

cmake -S "$source" -B build -DCARDIAC_QUICK=ON -DCARDIAC_BENCH=OFF -DCARDIAC_VERIFY=OFF -DCARDIAC_MPI=OFF -DCARDIAC_CUDA=OFF \
    -DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON >said 2>&1 || { cat said && fail "it cannot be configured"; }
cmake --build build -j 2 >said 2>&1 || { tail -n 30 said && fail "it does not build"; }
[ ! -e build/cardiac-bench ] && [ ! -e build/tests ] || fail "the bench or tests are built"
nm build/cardiac | grep -q ' monodomain_advance$' || fail "nm finds no function"
nm build/cardiac | grep ' verify_case$' && fail "the problems of verify are linked"
build/cardiac verify cell >said 2>&1
[ $? = 2 ] && grep -q "'verify'" said || { cat said && fail "verify is no unknown command"; }

env -i PATH=/nowhere build/cardiac run "$source/configs/cable.yaml" --set time.end=50ms --output small >said 2>&1 || { cat said && fail "a run fails"; }
"$cardiac" run "$source/configs/cable.yaml" --set time.end=50ms --output whole >said 2>&1 || { cat said && fail "a run of $cardiac fails"; }
"$cardiac" compare small/run.vtkhdf whole/run.vtkhdf >said 2>&1 || { cat said && fail "the smallest program has other bits"; }
