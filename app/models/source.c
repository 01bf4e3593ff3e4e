/* source.c: write the translation unit of a model's formulas, compile it with the C compiler or NVRTC, and cache it. */
#include "app/models/source.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/models/bundled.h"
#include "app/util/cache.h"
#include "app/util/watch.h"
#include "app/models/cc.h"
#include "app/models/nvrtc.h"
#include "kernels/base/clock.h"
#include "kernels/base/printed.h"

const char *source_how(struct source_way way)
{
    return way.staggered ? way.tables ? "tabled_staggered" : "staggered" : way.tables ? "tabled" : "step";
}

/* The lines that define what steps cells and, on the CPU, export it */
static void put_definitions(FILE *out, struct source_way way, bool cuda)
{
    static const char *const loops[] = {"STEP", "RUNS"};
    const char *const real = way.mixed ? "float" : "double", *const prefix = way.tables ? "tabled_" : "";
    const char *const gates = cuda ? "gates" : way.tables ? "tabled_gates" : "gates";
    const char *const call = cuda         ? way.tables ? "TABLED_STAGGERED" : "STAGGERED"
                             : way.tables ? "TABLED_REST"
                                          : "REST";
    const int bits = way.mixed ? 32 : 64;
    for (int k = 0; k < (cuda ? 2 : 1); k++) {
        if (way.staggered)
            fprintf(out, "DEFINE_%s(%s, %s, %s, %s, LOAD%d, STORE%d)\n", loops[k], SOURCE_FORMULA, gates,
                    cuda || !way.tables ? "GATES" : "TABLED_GATES", real, bits, bits);
        if (way.staggered && !cuda)
            fprintf(out, "DEFINE_%s(%s, %srest, %s, %s, LOAD%d, STORE%d)\n", loops[k], SOURCE_FORMULA, prefix,
                    call, real, bits, bits);
        else
            fprintf(out, "DEFINE_%s(%s, %s, %s, %s, LOAD%d, STORE%d)\n", loops[k], SOURCE_FORMULA,
                    source_how(way),
                    way.staggered ? call
                    : way.tables  ? "TABLED"
                                  : "COMPUTED",
                    real, bits, bits);
    }
    if (way.staggered && !cuda)
        fprintf(out, "IONIC_EXPORT(%s, %d, IONIC_LOOP(%sgates, %s, %d), IONIC_LOOP(%srest, %s, %d))\n", real,
                way.mixed, prefix, real, way.mixed, prefix, real, way.mixed);
    else if (!cuda)
        fprintf(out, "IONIC_EXPORT(%s, %d, IONIC_LOOP(%s, %s, %d))\n", real, way.mixed, source_how(way), real,
                way.mixed);
}

/* The names behind "#define IONIC_READERS_<list>" in the formulas, up to the end of the line */
static const char *readers(const char *formulas, const char *list)
{
    char line[64];
    const int length = snprintf(line, sizeof line, "#define IONIC_READERS_%s", list);
    const char *at = strstr(formulas, line);
    while (at && at[length] != ' ' && at[length] != '\n') /* matched only the start of a longer number */
        at = strstr(at + length, line);
    return at ? at + length : "\n";
}

/* Whether the name of that length is one of the names up to the end of the line */
static bool is_reader(const char *line, const char *name, size_t length)
{
    for (size_t next; *line == ' '; line += next) {
        next = strcspn(++line, " \n");
        if (next == length && memcmp(line, name, length) == 0)
            return true;
    }
    return false;
}

/* Whether the constant of that name depends on one of the first `varies` of the parameters that vary */
static bool is_own(const struct model_source *source, int varies, const char *name, size_t length)
{
    char number[16];
    bool own = false;
    for (int k = 0; k < varies && !own; k++) {
        snprintf(number, sizeof number, "%d", source->varied[k]);
        own = is_reader(readers(source->formulas, number), name, length);
    }
    return own;
}

bool source_gates_vary(const struct model_source *source)
{
    const char *at = readers(source->formulas, "GATES");
    bool vary = false;
    for (size_t length; *at == ' ' && !vary; at += length) {
        length = strcspn(++at, " \n");
        vary = is_own(source, source->varies, at, length);
    }
    return vary;
}

/* Writes IONIC_OWN(X), the list of a cell's own constants, each once. */
static void put_own(FILE *out, const struct model_source *source)
{
    char number[16];
    fputs("#define IONIC_OWN(X)", out);
    for (int k = 0; k < source->varies; k++) {
        snprintf(number, sizeof number, "%d", source->varied[k]);
        const char *at = readers(source->formulas, number);
        for (size_t length; *at == ' '; at += length) {
            length = strcspn(++at, " \n");
            if (!is_own(source, k, at, length))
                fprintf(out, " X(%.*s)", (int)length, at);
        }
    }
    fputc('\n', out);
}

/* Writes the formulas with "cell->" instead of "c->" before a cell's own constants: loaded where they are used, they
 * take no registers from the state on a GPU. */
static void put_formulas(FILE *out, const struct model_source *source)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *from = source->formulas;
    for (const char *at = from; source->varies > 0 && (at = strstr(at, "c->")); at += 3) {
        const bool whole = at == from || !strchr(letters, at[-1]);
        if (!whole || !is_own(source, source->varies, at + 3, strspn(at + 3, letters)))
            continue;
        fwrite(from, 1, (size_t)(at - from), out);
        fputs("cell->", out);
        from = at + 3;
    }
    fputs(from, out);
}

char *source_make(const struct model_source *model, struct source_way way, bool cuda)
{
    static const char line[] = "#include IONIC_TEXT\n";
    struct printed source;
    if (printed_open(&source, NULL))
        return NULL;
    FILE *out = source.file;
    fprintf(out, "#define IONIC_LOADED\n#define IONIC_FORMULA %s\n", SOURCE_FORMULA);
    if (model->varies > 0)
        put_own(out, model);
    const char *at = bundled_text(cuda ? "cuda" : "host");
    for (const char *next; (next = strstr(at, line)); at = next + strlen(line)) {
        fwrite(at, 1, (size_t)(next - at), out);
        put_formulas(out, model);
    }
    fprintf(out, "%s\nDEFINE_CURRENT(%s, %s, LOAD%d)\n", at, SOURCE_FORMULA, way.mixed ? "float" : "double",
            way.mixed ? 32 : 64);
    put_definitions(out, way, cuda);
    printed_close(&source, NULL);
    return source.text;
}

static enum status make_text(char **text, const struct model_source *source, struct source_way way, bool cuda,
                             struct error *error)
{
    *text = source_make(source, way, cuda);
    return *text ? STATUS_OK : error_memory(error, "a model's source", 1 << 18);
}

enum { BYTES_A_SECOND = 30000 }; /* of formulas compiled by gcc 12 on one core at 3 GHz */

/* Prints a line on a terminal before a compilation that will take more than a few seconds. */
static void forecast(const struct model_source *source)
{
    const double seconds = (double)strlen(source->formulas) / BYTES_A_SECOND;
    if (seconds > 3 && isatty(STDERR_FILENO))
        fprintf(stderr, "cardiac: compiling %s for its first use: about %.0f s\n", source->name, seconds);
}

/* Compiles `text` to a shared object, as a new cache entry. */
static enum status compile_object(const struct cache *cache, const char *entry, const struct cc *cc,
                                  const char *clone, const char *text, struct error *error)
{
    char name[CACHE_NAME + 2], source_path[CACHE_PATH], object[CACHE_PATH];
    enum status status = STATUS_OK;
    snprintf(name, sizeof name, "%s.c", entry);
    cache_temporary(cache, entry, object);
    cache_temporary(cache, name, source_path);
    FILE *file = fopen(source_path, "wx");
    bool good = file && fputs(text, file) >= 0;
    good = file && fclose(file) == 0 && good;
    if (!good)
        status = error_set(error, STATUS_RUN, "%s: cannot be written: %s", source_path, strerror(errno));
    if (!status) {
        watch_now("compiling a model");
        status = cc_compile(cc, clone, source_path, object, error);
    }
    if (!status)
        status = cache_adopt(cache, object, entry, error);
    unlink(source_path);
    unlink(object);
    return status;
}

enum status source_load(void **library, const void **code, struct model_source *source, const char *clone,
                        struct source_way way, struct error *error)
{
    struct cache cache = {.folder = -1};
    struct cc cc;
    char entry[CACHE_NAME], path[CACHE_PATH], *text = NULL;
    enum status status = STATUS_OK;
    *library = NULL;
    TRY_DONE(cc_find(&cc, error));
    TRY_DONE(make_text(&text, source, way, false, error));
    TRY_DONE(cache_open(&cache, error));
    const struct cache_input input[] = {CACHE_TEXT(text), CACHE_TEXT(cc.path), CACHE_TEXT(cc.version),
                                        CACHE_TEXT(cc.chosen), CACHE_TEXT(cc_flags(clone))};
    cache_name(entry, "so", input, sizeof input / sizeof *input);
    for (bool found = true; found && !*library;) {
        found = cache_find(&cache, entry, path);
        if (!found) {
            const double begin = clock_seconds();
            forecast(source);
            TRY_DONE(compile_object(&cache, entry, &cc, clone, text, error));
            source->seconds += clock_seconds() - begin;
        }
        *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        *code = *library ? dlsym(*library, "ionic_loaded") : NULL;
        if (!*code) {
            status = error_set(error, STATUS_RUN, "its code cannot be loaded: %s", dlerror());
            if (*library)
                dlclose(*library);
            *library = NULL;
            cache_remove(&cache, entry);
        }
    }
    status = *library ? STATUS_OK : status;
done:
    cache_close(&cache);
    free(text);
    return status;
}

enum status source_image(char **image, struct model_source *source, int architecture, struct source_way way,
                         struct error *error)
{
    struct cache cache = {.folder = -1};
    struct nvrtc nvrtc = {0};
    char entry[CACHE_NAME], flags[256], version[32], *text = NULL;
    size_t bytes;
    enum status status = STATUS_OK;
    *image = NULL;
    TRY_DONE(nvrtc_open(&nvrtc, error));
    TRY_DONE(make_text(&text, source, way, true, error));
    TRY_DONE(cache_open(&cache, error));
    nvrtc_flags(flags, sizeof flags, architecture);
    snprintf(version, sizeof version, "%d.%d", nvrtc.major, nvrtc.minor);
    const struct cache_input input[] = {CACHE_TEXT(text), CACHE_TEXT(version), CACHE_TEXT(flags)};
    cache_name(entry, "cubin", input, sizeof input / sizeof *input);
    *image = cache_read(&cache, entry, &bytes);
    if (!*image) {
        const double begin = clock_seconds();
        TRY_DONE(nvrtc_compile(&nvrtc, text, architecture, image, &bytes, error));
        source->seconds += clock_seconds() - begin;
        TRY_DONE(cache_write(&cache, entry, *image, bytes, error));
    }
done:
    cache_close(&cache);
    nvrtc_close(&nvrtc);
    free(text);
    return status;
}
