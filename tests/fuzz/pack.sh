#!/bin/sh
# pack.sh CORPUS: writes the archive of fuzz inputs, corpus.tar.xz, from the folder CORPUS. The same inputs give the same bytes.
set -e
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C "$1" -cf - . |
    xz -9e >"$(dirname "$0")/corpus.tar.xz"
