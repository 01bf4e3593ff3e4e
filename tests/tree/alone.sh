#!/bin/sh
# alone.sh SOURCE: the tree speaks of itself alone: no path of one machine, no address but of public pages.
cd "$1" || exit 1
failed=0
files=$(find . \( -name .git -o -path "./build*" -type d -o -name out -type d -o -name __pycache__ \) -prune -o -type f ! -name "*.png" ! -name "*.vtkhdf" ! -name "*.h5" \
    ! -name '*.gz' ! -path ./tests/tree/alone.sh -print)
[ -n "$files" ] || { echo "no files in $1" && exit 1; }

# shellcheck disable=SC2086 # names of files hold no blanks
grep -nE '(^|[^[:alnum:]_.}])/(work|root|home|Users|mnt|scratch|tmp/build)(/|[^[:alnum:]_]|$)' $files &&
    { echo "  an absolute path of one machine" && failed=1; }

public='(doi[.]org|(git-lfs[.])?github[.]com|[a-z.]*cmake[.]org|[a-z.]*paraview[.]org|[a-z.]*vtk[.]org|[a-z.]*hdfgroup[.]org|pyyaml[.]org|gmsh[.]info|opencarp[.]org|[a-z.]*w3[.]org|json-schema[.]org|[a-z.]*cellml[.]org|spdx[.]org|llvm[.]org|citation-file-format[.]github[.]io)'
# shellcheck disable=SC2086
grep -noE '[a-z]+://[^/ >)"`]+' $files | grep -vE "//(www[.])?$public\$" &&
    { echo "  an address that is not in this test's list of public ones" && failed=1; }
exit $failed
