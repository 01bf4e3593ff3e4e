#!/bin/sh
# format_python.sh SOURCE: every file of the Python package is as black leaves it. Its style changes with the year: 26 counts.
cd "$1" || exit 1
case $(black --version 2>/dev/null) in
"black, 26."*) exec black --check app/python ;;
esac
echo "no black 26 here"
exit 77
