#!/bin/sh
# recipes.sh ARCHIVE ADDRESS OUT: the recipes of conda-forge and Spack for the archive of a release, cardiac-VERSION.tar.gz, which will be found at
# ADDRESS/cardiac-VERSION.tar.gz; they go to OUT. In the tree the recipes build the folder that they are in.
set -eu
archive=$1 address=${2%/} out=$3
name=${archive##*/}
version=${name#cardiac-} version=${version%.tar.gz}
digest=$(sha256sum <"$archive") digest=${digest%% *}
here=$(dirname "$0")

awk -v url="$address/$name" -v digest="$digest" '
    /^#/ { if (NR == 1) print "# recipe.yaml: the package of conda-forge, in the format of rattler-build."; next }
    /^  path: / { print "  url: " url "\n  sha256: " digest; found++; next }
    { print }
    END { exit found != 1 }' "$here/recipe.yaml" >"$out/recipe.yaml"
awk -v url="$address/$name" -v digest="$digest" -v version="$version" '
    /^    version[(]"main"/ { print "    url = \"" url "\"\n    version(\"" version "\", sha256=\"" digest "\")"; found++; next }
    { sub(/dev-build cardiac@main/, "install cardiac@" version); sub(/ +[(]in the folder of the source[)]/, ""); print }
    END { exit found != 1 }' "$here/package.py" >"$out/package.py"
