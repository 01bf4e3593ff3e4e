/* path.c: the parts of a path. */
#include "app/util/path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool path_ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

const char *path_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_whole(char whole[PATH_WHOLE], const char *path)
{
    char here[PATH_WHOLE / 2];
    if (*path == '/' || !getcwd(here, sizeof here))
        snprintf(whole, PATH_WHOLE, "%s", path);
    else
        snprintf(whole, PATH_WHOLE, "%s/%s", here, path);
    return whole;
}
