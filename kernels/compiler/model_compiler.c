/* model_compiler.c: the build tool that compiles a model's text to C and CUDA, and embeds texts in C arrays.
 *
 *   model_compiler unit NAME FOLDER OUT            FOLDER/NAME.mmt -> OUT/NAME.h, .c and .cu
 *                                                  (kernels/ionic/instantiate.h), and NAME_values.h, the only
 *                                                  file that a changed constant of the text changes
 *   model_compiler embed OUT HEADER NAME=FILE...   FILEs, each with all files of the working directory it
 *                                                  includes -> bundled_texts[]; the models of each FILE whose
 *                                                  NAME begins with + -> bundled_models[]; HEADER declares
 *                                                  both
 *
 * Each variant of a text is a model; a text without variants is one model, named after its file. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/printed.h"
#include "kernels/base/sha256.h"
#include "kernels/compiler/emit/compiler.h"
#include "kernels/compiler/language/mmt.h"

enum { LINE = 4096, MOST_INCLUDED = 100 };

static enum status read_whole(char **text, size_t *bytes, const char *path, struct error *error)
{
    FILE *file = fopen(path, "rb");
    *text = NULL;
    *bytes = 0;
    if (!file)
        return error_at(error, STATUS_INPUT, path, 0, 0, "%s", strerror(errno));
    for (size_t room = 0; !feof(file) && !ferror(file);) {
        if (*bytes + 1 >= room) {
            char *more = realloc(*text, room = 2 * room + (1 << 16));
            if (!more)
                break;
            *text = more;
        }
        *bytes += fread(*text + *bytes, 1, room - *bytes - 1, file);
    }
    bool good = *text && feof(file);
    fclose(file);
    if (!good)
        return error_at(error, STATUS_RUN, path, 0, 0, "cannot be read");
    (*text)[*bytes] = 0;
    return STATUS_OK;
}

/* A file that is rewritten only if its text has changed, so that its dependents stay up to date */
struct output {
    char path[LINE];
    struct printed printed;
};

static FILE *create(struct output *output, const char *folder, const char *name, const char *ending,
                    enum status *status, struct error *error)
{
    *output = (struct output){0};
    snprintf(output->path, sizeof output->path, "%s%s%s%s", folder, *folder ? "/" : "", name, ending);
    if (!*status)
        *status = printed_open(&output->printed, error);
    return output->printed.file;
}

static bool is_same(const struct output *output)
{
    struct error ignored;
    char *text;
    size_t bytes;
    bool same = !read_whole(&text, &bytes, output->path, &ignored) && bytes == output->printed.length &&
                memcmp(text, output->printed.text, bytes) == 0;
    free(text);
    return same;
}

static void finish(struct output *output, enum status *status, struct error *error)
{
    const struct printed *printed = &output->printed;
    enum status closed = printed_close(&output->printed, *status ? NULL : error);
    *status = *status ? *status : closed;
    if (!*status && !is_same(output)) {
        FILE *file = fopen(output->path, "w");
        bool good = file && fwrite(printed->text, 1, printed->length, file) == printed->length;
        if (!file || fclose(file) != 0 || !good)
            *status = error_at(error, STATUS_RUN, output->path, 0, 0, "%s", strerror(errno));
    }
    free(printed->text);
}

static void put_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *at = text; *at; at++)
        fprintf(file, isalnum((unsigned char)*at) || strchr(" .,;:_+-*/()^=", *at) ? "%c" : "\\%03o",
                (unsigned char)*at);
    fputc('"', file);
}

static void put_values(FILE *file, const char *list, const struct ionic_value *value, int count)
{
    fprintf(file, "static const struct ionic_value %s[] = {\n", list);
    for (int k = 0; k < count; k++) {
        fputs("    {", file);
        put_string(file, value[k].name);
        fputs(", ", file);
        put_string(file, value[k].unit);
        fprintf(file, ", %.17g, %d, ", value[k].value, value[k].fp64);
        put_string(file, value[k].meaning);
        fputs("},\n", file);
    }
    fputs("    {0}};\n", file);
}

static void put_model(FILE *file, const struct ionic_model *model, const char *formula)
{
    char symbol[LINE], list[LINE + 16];
    snprintf(symbol, sizeof symbol, "%s", model->name);
    for (char *at = symbol; *at; at++)
        *at = isalnum((unsigned char)*at) ? *at : '_';
    snprintf(list, sizeof list, "%s_state", symbol);
    put_values(file, list, model->state, model->states);
    snprintf(list, sizeof list, "%s_parameter", symbol);
    put_values(file, list, model->parameter, model->parameters);
    snprintf(list, sizeof list, "%s_current", symbol);
    put_values(file, list, model->current, model->currents);
    fprintf(file, "const struct ionic_model %s_model = {\n    .name = ", symbol);
    put_string(file, model->name);
    fprintf(file, ",\n    .source = \"%s\",\n    .title = ", formula);
    put_string(file, model->title);
    fputs(",\n    .reference = ", file);
    put_string(file, model->reference);
    fprintf(file,
            ",\n    .v_initial = %.17g, .capacitance = %.17g, .order = %d, .step_accurate = %.17g,\n"
            "    .step_largest = %.17g, .staggered_accurate = %.17g, .staggered_largest = %.17g,\n"
            "    .operations = %d, .states = %d, .state = %s_state, .parameters = %d, .parameter = "
            "%s_parameter,\n"
            "    .currents = %d, .current = %s_current, IONIC_LOOPS(%s)};\n",
            model->v_initial, model->capacitance, model->order, model->step_accurate, model->step_largest,
            model->staggered_accurate, model->staggered_largest, model->operations, model->states, symbol,
            model->parameters, symbol, model->currents, symbol, formula);
}

/* "tor_ord_2020.mmt" -> "tor-ord-2020" */
static void name_of(char own[LINE], const char *base)
{
    snprintf(own, LINE, "%.*s", (int)strcspn(base, "."), base);
    for (char *at = own; *at; at++)
        *at = *at == '_' ? '-' : *at;
}

/* Writes one model for each variant, or a single model */
static enum status put_models(FILE *file, const char *name, const struct cell *cell,
                              const struct compiled *compiled, struct error *error)
{
    char own[LINE];
    name_of(own, name);
    for (int k = 0; k < (cell->variants ? cell->variants : 1); k++) {
        const struct cell_variant *variant = cell->variants ? &cell->variant[k] : NULL;
        struct ionic_model model = {.name = variant ? variant->name : own};
        struct ionic_value *values;
        enum status status = compiler_describe(&model, &values, cell, variant, compiled, error);
        if (!status)
            put_model(file, &model, name);
        free(values);
        TRY(status);
    }
    return STATUS_OK;
}

static enum status make_sources(const char *name, const char *folder, const char *out, struct error *error)
{
    char path[LINE], *text;
    size_t bytes;
    struct cell cell = {0};
    struct compiled compiled = {0};
    const struct mmt_scale scale = {0};
    struct output outputs[4] = {0};
    enum status status;
    snprintf(path, sizeof path, "%s/%s.mmt", folder, name);
    TRY_DONE(read_whole(&text, &bytes, path, error));
    TRY_DONE(mmt_read(&cell, text, bytes, path, &scale, error));
    TRY_DONE(compiler_make(&compiled, &cell, name, error));
    FILE *header = create(&outputs[0], out, name, ".h", &status, error),
         *source = create(&outputs[1], out, name, ".c", &status, error),
         *cuda = create(&outputs[2], out, name, ".cu", &status, error),
         *values = create(&outputs[3], out, name, "_values.h", &status, error);
    TRY_DONE(status);
    fputs(compiled.formulas, header);
    fprintf(source, "#define IONIC_FORMULA %s\n#define IONIC_TEXT \"kernels/models/%s.h\"\n", name, name);
    fprintf(cuda, "#define IONIC_FORMULA %s\n#define IONIC_TEXT \"kernels/models/%s.h\"\n", name, name);
    fprintf(source,
            "#include \"kernels/ionic/instantiate.h\"\n"
            "#ifdef IONIC_DESCRIPTIONS\n#include \"kernels/models/%s_values.h\"\n#endif\n",
            name);
    fputs("#include \"kernels/ionic/loops.cuh\"\n", cuda);
    status = put_models(values, name, &cell, &compiled, error);
done:
    for (int k = 0; k < 4; k++)
        finish(&outputs[k], &status, error);
    compiler_free(&compiled);
    cell_free(&cell);
    free(text);
    return status;
}

/* Files included so far; no file is included twice */
struct included {
    char name[MOST_INCLUDED][128];
    int count;
};

static bool seen_before(struct included *included, const char *name)
{
    for (int k = 0; k < included->count; k++)
        if (strcmp(included->name[k], name) == 0)
            return true;
    if (included->count < MOST_INCLUDED)
        snprintf(included->name[included->count++], sizeof included->name[0], "%s", name);
    return false;
}

/* Writes the file as numbers of an array, with each of our own includes replaced by its text */
static enum status put_file(FILE *file, const char *path, struct included *included, struct error *error)
{
    char *text, name[128];
    size_t bytes;
    enum status status = read_whole(&text, &bytes, path, error);
    for (char *line = text, *next; !status && line && *line; line = next) {
        next = strchr(line, '\n');
        next = next ? next + 1 : line + strlen(line);
        if (included && sscanf(line, "#include \"%127[^\"]\"", name) == 1) {
            if (!seen_before(included, name))
                status = put_file(file, name, included, error);
            continue;
        }
        for (const char *at = line; at < next; at++)
            fprintf(file, "%d,", (signed char)*at);
        fputc('\n', file);
    }
    free(text);
    return status;
}

/* Writes the models of a text that the build only embeds */
static enum status put_bundled(FILE *file, const char *path, struct error *error)
{
    char *text, own[LINE];
    size_t bytes;
    struct cell cell = {0};
    struct compiled compiled = {0};
    const struct mmt_scale scale = {0};
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    enum status status;
    TRY_DONE(read_whole(&text, &bytes, path, error));
    TRY_DONE(mmt_read(&cell, text, bytes, path, &scale, error));
    TRY_DONE(compiler_make(&compiled, &cell, "text", error));
    name_of(own, base);
    for (int k = 0; k < (cell.variants ? cell.variants : 1); k++) {
        const struct cell_variant none = {.name = own, .title = ""},
                                  *variant = cell.variants ? &cell.variant[k] : &none;
        fprintf(file, "    {\"%s\", \"%s\", ", variant->name, base);
        put_string(file, *variant->title ? variant->title : *cell.title ? cell.title : cell.name);
        fprintf(file, ", %d, %d},\n", cell.states, compiled.operations);
    }
done:
    compiler_free(&compiled);
    cell_free(&cell);
    free(text);
    return status;
}

/* Writes the list's first entry, a digest of this compiler; `program` is its path: a build may lack /proc */
static enum status put_own_digest(FILE *file, const char *program, struct error *error)
{
    char *bytes, hex[SHA256_HEX];
    size_t size;
    enum status status = read_whole(&bytes, &size, program, error);
    if (!status) {
        sha256_of(bytes, size, hex);
        fprintf(file, "const struct bundled_text bundled_texts[] = {\n    {\"compiler\", \"%s\"},\n", hex);
    }
    free(bytes);
    return status;
}

static enum status embed(const char *program, const char *out, const char *header, char **named, int count,
                         struct error *error)
{
    struct output output;
    enum status status = STATUS_OK;
    FILE *file = create(&output, "", out, "", &status, error);
    TRY(status);
    fprintf(file, "#include \"%s\"\n", header);
    for (int k = 0; k < count; k++) {
        struct included included = {0};
        const char *path = strchr(named[k], '=') + 1;
        const char *ending = strrchr(path, '.');
        fprintf(file, "static const signed char text%d[] = {\n", k);
        TRY_DONE(put_file(file, path, strcmp(ending, ".mmt") == 0 ? NULL : &included, error));
        fputs("0};\n", file);
    }
    TRY_DONE(put_own_digest(file, program, error));
    for (int k = 0; k < count; k++) {
        const char *name = named[k] + (*named[k] == '+');
        fprintf(file, "    {\"%.*s\", (const char *)text%d},\n", (int)strcspn(name, "="), name, k);
    }
    fputs("    {0}};\nconst struct bundled bundled_models[] = {\n", file);
    for (int k = 0; k < count; k++)
        if (*named[k] == '+')
            TRY_DONE(put_bundled(file, strchr(named[k], '=') + 1, error));
    fputs("    {0}};\n", file);
done:
    finish(&output, &status, error);
    return status;
}

int main(int argc, char **argv)
{
    struct error error = {0};
    enum status status = STATUS_INPUT;
    if (argc == 5 && strcmp(argv[1], "unit") == 0)
        status = make_sources(argv[2], argv[3], argv[4], &error);
    else if (argc >= 4 && strcmp(argv[1], "embed") == 0)
        status = embed(argv[0], argv[2], argv[3], argv + 4, argc - 4, &error);
    else
        error_set(&error, STATUS_INPUT, "unit NAME FOLDER OUT, or embed OUT HEADER NAME=FILE...");
    if (error.text[0])
        fprintf(stderr, "model_compiler: %s\n", error.text);
    return (int)status;
}
