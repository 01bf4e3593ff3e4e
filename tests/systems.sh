#!/bin/bash
# systems.sh SOURCE SUITE [ARCHIVE]: README's first command, then all default tests, in a tree of a supported system (docs/dev/systems.md)
# that debootstrap makes from nothing: `systems.sh . trixie`. apt's own archive and settings are used for a suite of this
# system's kind, else debootstrap's or ARCHIVE. With WHEEL=FILE in the environment that wheel is installed there instead, run and imported. Ends with 77
# where no tree can be made: without root, debootstrap or an archive.
set -u
source=$(cd "$1" && pwd) suite=$2 archive=${3:-}
skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "chroot needs root"
command -v debootstrap > /dev/null || skip "no debootstrap"
tree=$(mktemp -d) || exit 1
leave() {
    for folder in dev/pts dev/shm proc; do
        ! mountpoint -q "$tree/$folder" || umount "$tree/$folder" || exit 1 # what is mounted is not removed
    done
    rm -rf --one-file-system "$tree"
}
trap leave EXIT
trap 'exit 1' INT TERM
case $suite in
bookworm | trixie) kind=debian also=() ;;
*) kind=ubuntu also=(--components=main,universe) ;;
esac
if [ -z "$archive" ] && grep -qx "ID=$kind" /etc/os-release; then
    archive=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | head -n 1)
fi
debootstrap --variant=minbase "${also[@]}" --include=ca-certificates "$suite" "$tree" ${archive:+"$archive"} > "$tree.log" 2>&1 ||
    { tail -n 3 "$tree.log"; rm -f "$tree.log"; skip "no tree of $suite"; }
rm -f "$tree.log"
apt-config dump | grep -E '^Acquire::(http|https|Retries)' > "$tree/etc/apt/apt.conf.d/99this-machine" || true
cp -L /etc/resolv.conf /etc/hosts "$tree/etc/"
mkdir "$tree/source"
git -C "$source" archive HEAD | tar -x -C "$tree/source" || exit 1
mount -t proc proc "$tree/proc" && mount -t devpts -o newinstance,ptmxmode=0666 devpts "$tree/dev/pts" && mount -t tmpfs tmpfs "$tree/dev/shm" ||
    skip "nothing can be mounted in a tree"
inside() { chroot "$tree" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
if [ -n "${WHEEL:-}" ]; then # of a release: no compiler is there
    cp "$WHEEL" "$tree/tmp" && inside apt-get update -q && inside apt-get install -q -y --no-install-recommends python3-venv python3-numpy python3-h5py libgomp1 &&
        inside sh -c 'cd /tmp && python3 -m venv --system-site-packages env && env/bin/pip install -q --no-index --no-deps ./*.whl &&
            env/bin/cardiac run env/share/cardiac/configs/quickstart.yaml --set time.end=20ms &&
            env/bin/python -c "import cardiac; print(cardiac.read(\"out/quickstart\"))" &&
            env/bin/python -c "import cardiac; sim = cardiac.Simulation(\"env/share/cardiac/configs/cable.yaml\"); sim.advance(until=1); print(sim.time)"' ||
        { echo "FAILED: the wheel on $suite"; exit 1; }
    exit 0
fi
inside sh -c 'cd /source && ./bootstrap.sh run && test -s out/ventricle/report.html' || { echo "FAILED: README's first command on $suite"; exit 1; }
inside apt-get install -q -y --no-install-recommends git bash procps || exit 1
inside sh -c 'cd /source && ./bootstrap.sh test' || { echo "FAILED: tests on $suite"; exit 1; }
inside sh -c 'cd /source; . /etc/os-release; echo "$PRETTY_NAME: gcc $(gcc -dumpfullversion), $(build/cardiac info | grep HDF5)"' 2> /dev/null
