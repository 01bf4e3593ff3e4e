#!/bin/sh
# versions.sh SOURCE: the program, its package for Python, the citation and the newest release of the changes are of one version, and the last two
# of one day. The changes name every key, and value of a key, that the program refuses as removed.
cd "$1" || exit 1
version=$(sed -n 's/^project(cardiac VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || { echo "no version in CMakeLists.txt" && exit 1; }
failed=0
for found in "app/python/pyproject.toml $(sed -n 's/^version = "\(.*\)"$/\1/p' app/python/pyproject.toml)" \
    "app/python/cardiac/__init__.py $(sed -n 's/^__version__ = "\([^"]*\)".*/\1/p' app/python/cardiac/__init__.py)" \
    "CITATION.cff $(sed -n 's/^version: //p' CITATION.cff)" \
    "app/package/recipe.yaml $(sed -n 's/^  version: "\(.*\)"$/\1/p' app/package/recipe.yaml)" \
    "CHANGELOG.md $(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)"; do
    [ "${found#* }" = "$version" ] || { echo "${found%% *}: version ${found#* }, CMakeLists.txt has $version" && failed=1; }
done
day=$(sed -n 's/^date-released: //p' CITATION.cff)
[ -z "$day" ] || grep -qxF "## $version ($day)" CHANGELOG.md || { echo "CHANGELOG.md: no '## $version ($day)', the day in CITATION.cff" && failed=1; }
gone=$(sed -n '/^### Keys, values and commands that are gone$/,/^### What/p' CHANGELOG.md)
for row in $(sed -n '/^static const struct removed_key removed/,/^};/p' app/config/keys.c | sed -n 's/^ *{"\([^"][^"]*\)", \("\([^"]*\)"\|NULL\),.*/\1=\3/p'); do
    key=${row%%=*} value=${row#*=}
    case $gone in *"\`$key\`"*) ;; *) echo "CHANGELOG.md does not name $key, which is gone" && failed=1 ;; esac
    case $value in "" | [0-9]*) continue ;; esac
    case $gone in *"\`$value\`"*) ;; *) echo "CHANGELOG.md does not name $key: $value, which is gone" && failed=1 ;; esac
done
exit $failed
