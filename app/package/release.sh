#!/bin/sh
# release.sh VERSION | --try [ADDRESS]: lays the packages (with CUDA and, in an archive of its own, MPI where this machine has them), the sdist, the
# source's archive, the recipes of conda-forge and Spack that hold its digest, and their checksums into build-package/release/, and tries each where
# nothing else is: the packages in a tree with libc alone, the source in a new folder, wheel and source in bare trees of the supported
# systems. ADDRESS is where the archives will be found; without it recipes name the folder. SUITES="bookworm trixie" tries fewer systems. With a
# VERSION it sets that everywhere first, and commits and tags at the end; nothing is tagged unless all that passes. Run in a clean tree; pushing is by hand.
set -eu
day=$(date +%F) tried=
version=${1:?usage: release.sh VERSION | --try [ADDRESS]; a VERSION such as 0.2.0} address=${2:-}
cd "$(dirname "$0")/../.."
left() {
    [ -z "$tried" ] || rm -rf "$tried"
    [ -z "$before" ] || echo "release.sh: nothing is released; 'git reset --hard $before' takes back what it changed" >&2
}
before=
trap left EXIT
[ -z "$(git status --porcelain)" ] || { echo "release.sh: the tree has changes that are not committed" && exit 2; }

if [ "$version" = --try ]; then
    version=$(sed -n 's/^project(cardiac VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt) release=
else
    release=yes
    echo "$version" | grep -Eqx '[0-9]+[.][0-9]+[.][0-9]+' || { echo "release.sh: $version is no version such as 0.2.0" && exit 2; }
    [ -z "$(git tag -l "v$version")" ] || { echo "release.sh: v$version is there already" && exit 2; }
    grep -q '^## Unreleased$' CHANGELOG.md || { echo "release.sh: CHANGELOG.md has no '## Unreleased'" && exit 2; }
    before=$(git rev-parse --short HEAD)
    sed -i "s/^project(cardiac VERSION [0-9.]*/project(cardiac VERSION $version/" CMakeLists.txt
    sed -i "s/^version = .*/version = \"$version\"/" app/python/pyproject.toml
    sed -i "s/^__version__ = \"[^\"]*\"/__version__ = \"$version\"/" app/python/cardiac/__init__.py
    sed -i "/^date-released:/d; s/^version: .*/version: $version\ndate-released: $day/" CITATION.cff
    sed -i "s/^  version: \"[0-9.]*\"/  version: \"$version\"/" app/package/recipe.yaml
    sed -i "s/^## Unreleased$/## $version ($day)/" CHANGELOG.md
    sh tests/tree/versions.sh .
fi

cmake --preset package
cmake --build build-package -j "$(nproc)" --target cardiac
ctest --test-dir build-package -R '^(package|wheel)$' --no-tests=error --output-on-failure
out=$PWD/build-package/release
rm -rf "$out" && mkdir -p "$out"
cpack --config build-package/CPackConfig.cmake -B "$out"
cmake --install build-package --prefix build-package/tree --strip
python3 app/package/wheel.py build-package/tree "$out" # and the sdist
if [ -e build-package/libcardiac_comm.so ]; then # a second archive for several ranks, linked with this machine's MPI and NCCL
    ranks=build-package/ranks
    rm -rf "$ranks" && mkdir -p "$ranks" && tar -C "$ranks" -xzf "$out/cardiac-$version-linux-$(uname -m).tar.gz"
    mv "$ranks/cardiac-$version-linux-$(uname -m)" "$ranks/cardiac-$version-linux-$(uname -m)-mpi"
    cmake --install build-package --prefix "$ranks/cardiac-$version-linux-$(uname -m)-mpi" --strip --component ranks
    tar -C "$ranks" -czf "$out/cardiac-$version-linux-$(uname -m)-mpi.tar.gz" "cardiac-$version-linux-$(uname -m)-mpi"
fi
[ -z "$release" ] || git commit -qam "Release $version"
git archive --prefix="cardiac-$version/" -o "$out/cardiac-$version.tar.gz" HEAD
sh app/package/recipes.sh "$out/cardiac-$version.tar.gz" "${address:-file:$out}" "$out"
(
    cd "$out" && rm -rf _CPack_Packages
    sha256sum "cardiac-$version"*.tar.gz "cardiac-$version"*.deb "cardiac_monodomain-$version"* recipe.yaml package.py >SHA256SUMS
    for recipe in recipe.yaml package.py; do
        grep -qF "$(sed -n "s/  cardiac-$version[.]tar[.]gz$//p" SHA256SUMS)" "$recipe" || { echo "release.sh: $recipe has another digest" && exit 1; }
    done
)

# the source, where there is no repository: built, its fast tests, a run, and the same run from its bundle
tried=$(mktemp -d)
(cd "$out" && sha256sum --quiet -c SHA256SUMS)
tar -C "$tried" -xzf "$out/cardiac-$version.tar.gz"
(
    cd "$tried/cardiac-$version"
    ./bootstrap.sh build
    [ "$(build/cardiac --version)" = "cardiac $version" ]
    cmake --build build -j "$(nproc)"
    ctest --test-dir build -L fast -j "$(nproc)" --output-on-failure
    build/cardiac run configs/cable.yaml --set time.end=20ms --output out/cable --quiet
    build/cardiac bundle out/cable out/bundle
    build/cardiac run out/bundle
)
# each supported system (docs/dev/systems.md); 77: its archive cannot be reached from here
for suite in bookworm trixie noble; do
    for wheel in "$out/cardiac_monodomain-$version"*.whl ""; do
        case " ${SUITES-bookworm trixie noble} " in
        *" $suite "*) ended=0 && WHEEL=$wheel bash tests/systems.sh . "$suite" || ended=$? ;;
        *) ended=77 ;;
        esac
        [ "$ended" = 0 ] || [ "$ended" = 77 ]
        [ "$ended" = 0 ] || echo "release.sh: not tried on $suite: ${wheel:-the source}"
    done
done
[ -z "$release" ] || git tag -a "v$version" -m "cardiac $version"
before=
cat "$out/SHA256SUMS"
