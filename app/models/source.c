/* source.c: the formulas put where the unit reads them. */
#include "app/models/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/models/bundled.h"

char *source_make(const char *formulas, struct source_way way, bool cuda)
{
    static const char line[] = "#include IONIC_TEXT\n";
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "#define IONIC_LOADED\n#define IONIC_FORMULA %s\n", SOURCE_FORMULA);
    const char *at = bundled_text(cuda ? "cuda" : "host");
    for (const char *next; (next = strstr(at, line)); at = next + strlen(line)) {
        fwrite(at, 1, (size_t)(next - at), out);
        fputs(formulas, out);
    }
    const char *how = way.tables ? "tabled" : "step", *real = way.mixed ? "float" : "double";
    int bits = way.mixed ? 32 : 64;
    fprintf(out, "%s\nDEFINE_STEP(%s, %s, %s, %s, LOAD%d, STORE%d)\nDEFINE_CURRENT(%s, %s, LOAD%d)\n", at,
            SOURCE_FORMULA, how, way.tables ? "TABLED" : "COMPUTED", real, bits, bits, SOURCE_FORMULA, real,
            bits);
    if (!cuda)
        fprintf(out, "IONIC_EXPORT(%s, %s, %d)\n", how, real, way.mixed);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
