#!/bin/sh
# doors.sh SOURCE: files are opened to be written, renamed and linked through app/util/own_file.c and app/python/cardiac/own_file.py
# alone, and in the few files named here, whose names were claimed there or lie in a folder of their own.
cd "$1" || exit 1
# The journal of a result, HDF5 and the seal write files that own_file.c has made or claimed; set_aside renames them. The cache of models
# is a folder of its own; model_compiler runs in the build; program.c opens /dev/null.
c='app/util/own_file|app/io/store/(journal|h5|seal)|app/run/files|app/util/cache|app/models/source|kernels/compiler/model_compiler|app/util/program'
# fit.py and dictionary.py open by open_plain; refinement.py and opencarp.py fill temporary folders, and never replace.
python='own_file|studies/(fit|dictionary|refinement)|convert/opencarp'
found=$(
    grep -rnE '\b(fopen|freopen|gzopen|fdopen) *\(.*"[wax]|\b(open|openat) *\(.*O_(CREAT|WRONLY|RDWR)|H5Fcreate|mkstemp|\b(creat|rename|renameat|symlink|link|truncate) *\(' \
        app solver kernels --include='*.c' --include='*.cu' --include='*.h' | grep -vE "^($c)\.c:"
    grep -rnE "\bopen\([^)]*[\"'][wax]b?\+?[\"']|r\+b|\.write_(text|bytes)\(|os\.(open|rename|replace|link|symlink)\(|(savefig|\.save)\([^)]*(path|name|to\b)|h5py\.File\((path|name)[^)]*[\"'][wax]" \
        app/python --include='*.py' | grep -vE "^app/python/cardiac/($python)\.py:|O_NONBLOCK|^[^:]*:[0-9]*: *(plot|\"\"\")"
)
[ -z "$found" ] || { printf '%s\nwrite files through own_file.h or own_file.py\n' "$found"; exit 1; }
