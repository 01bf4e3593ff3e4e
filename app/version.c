/* version.c: the program's name and version. */
#include "app/version.h"

const char *version_text(void)
{
    return "cardiac " CARDIAC_VERSION;
}
