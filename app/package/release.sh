#!/bin/sh
# release.sh VERSION: sets the version everywhere, commits and tags it, and lays the packages, the source's archive and their checksums
# into build-package/release/. Nothing is tagged unless the packages pass their test. Run in a clean tree; pushing is by hand.
set -eu
version=${1:?usage: release.sh VERSION, such as 0.2.0}
cd "$(dirname "$0")/../.."
echo "$version" | grep -Eqx '[0-9]+[.][0-9]+[.][0-9]+' || { echo "release.sh: $version is no version such as 0.2.0" && exit 2; }
[ -z "$(git status --porcelain)" ] || { echo "release.sh: the tree has changes that are not committed" && exit 2; }
[ -z "$(git tag -l "v$version")" ] || { echo "release.sh: v$version is there already" && exit 2; }
grep -q '^## Unreleased$' CHANGELOG.md || { echo "release.sh: CHANGELOG.md has no '## Unreleased'" && exit 2; }

sed -i "s/^project(cardiac VERSION [0-9.]*/project(cardiac VERSION $version/" CMakeLists.txt
sed -i "s/^version = .*/version = \"$version\"/" app/python/pyproject.toml
sed -i "s/^version: .*/version: $version/" CITATION.cff
sed -i "s/^## Unreleased$/## $version/" CHANGELOG.md
sh tests/tree/versions.sh .

cmake --preset package
cmake --build build-package -j "$(nproc)" --target cardiac
ctest --test-dir build-package -R '^package$' --no-tests=error --output-on-failure
out=$PWD/build-package/release
mkdir -p "$out"
cpack --config build-package/CPackConfig.cmake -B "$out"
git commit -qam "Release $version"
git archive --prefix="cardiac-$version/" -o "$out/cardiac-$version.tar.gz" HEAD
(cd "$out" && rm -rf _CPack_Packages && sha256sum "cardiac-$version"*.tar.gz "cardiac-$version"*.deb >SHA256SUMS)
git tag -a "v$version" -m "cardiac $version"
cat "$out/SHA256SUMS"
