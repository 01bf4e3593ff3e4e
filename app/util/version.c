/* version.c: the program's name and version, and those of its libraries. */
#include "app/util/version.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>
#include <zlib.h>

const char *version_text(void)
{
    return "cardiac " CARDIAC_VERSION;
}

const char *version_compiler(void)
{
#ifdef __clang__
    return __VERSION__;
#else
    return "gcc " __VERSION__;
#endif
}

char *version_libraries(void)
{
    enum { ROOM = 128 };
    unsigned major = 0, minor = 0, release = 0;
    char *text = malloc(ROOM);
    H5get_libversion(&major, &minor, &release);
    if (text)
        snprintf(text, ROOM, "HDF5 %u.%u.%u, libyaml %s, zlib %s", major, minor, release,
                 yaml_get_version_string(), zlibVersion());
    return text;
}
