/* user_model.c: read and parse a model's text, compile and load its code. */
#include "app/models/user_model.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/util/cache.h"
#include "app/util/path.h"
#include "kernels/compiler/emit/compiler.h"
#include "app/models/steps.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"
#include "kernels/base/suggest.h"

static const char ending[] = ".mmt";

bool user_model_is_file(const char *word)
{
    return path_ends_in(word, ending);
}

enum status user_model_foreign(const char *path, struct error *error)
{
    static const struct {
        const char *ending, *is;
    } foreign[] = {
        {".cellml",
         "is CellML; `myokit import cellml MODEL.cellml MODEL.mmt` converts it (pip install myokit)"},
        {".ode",
         "is a model of Gotran; `gotranx ode2cellml MODEL.ode -o MODEL.cellml && myokit import cellml "
         "MODEL.cellml MODEL.mmt` converts it (pip install gotranx myokit)"},
        {".model",
         "is EasyML, openCARP's language, which no program converts to .mmt; most such models also "
         "exist as CellML (models.physiomeproject.org): `myokit import cellml MODEL.cellml MODEL.mmt`"}};
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++)
        if (path_ends_in(path, foreign[k].ending))
            return error_at(error, STATUS_INPUT, path, 0, 0, "%s", foreign[k].is);
    return STATUS_OK;
}

/* The file's name without folder and ending, plus the variant's name; NULL if out of memory */
static char *name_of(const char *path, const char *variant)
{
    const char *base = path_base_name(path);
    const size_t length = strlen(base) - (user_model_is_file(base) ? strlen(ending) : 0),
                 size = length + (variant ? strlen(variant) : 0) + 2;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%.*s%s%s", (int)length, base, variant ? "-" : "", variant ? variant : "");
    return name;
}

static bool same_scale(const struct mmt_scale *a, const struct mmt_scale *b)
{
    return a->rest == b->rest && a->amplitude == b->amplitude && a->time_unit == b->time_unit &&
           (a->voltage && b->voltage ? strcmp(a->voltage, b->voltage) == 0 : a->voltage == b->voltage);
}

bool user_model_same_scale(const struct user_model *a, const struct user_model *b)
{
    return same_scale(&a->scale, &b->scale);
}

/* Copies the texts that the caller may free. */
static enum status keep_words(struct user_model *user, const char *path, const char *variant,
                              const struct mmt_scale *scale, struct error *error)
{
    user->path = strdup(path);
    user->name = name_of(path, variant);
    user->scale = *scale;
    if (scale->voltage)
        user->scale.voltage = strdup(scale->voltage);
    return user->path && user->name && (!scale->voltage || user->scale.voltage)
               ? STATUS_OK
               : error_memory(error, "a model's name", 4096);
}

/* name[] <- the name of the cache entry of user->compiled */
static void name_entry(char name[CACHE_NAME], const struct user_model *user)
{
    const struct mmt_scale *scale = &user->scale;
    char numbers[128];
    snprintf(numbers, sizeof numbers, "%a %a %a", scale->rest, scale->amplitude, scale->time_unit);
    const char *voltage = scale->voltage ? scale->voltage : "",
               *variant = user->variant ? user->variant->name : "";
    const struct cache_input input[] = {CACHE_TEXT(CARDIAC_VERSION),   CACHE_TEXT(bundled_text("compiler")),
                                        CACHE_TEXT(user->sha256),      CACHE_TEXT(numbers),
                                        CACHE_TEXT(voltage),           CACHE_TEXT(variant),
                                        CACHE_TEXT("limits with sums")};
    cache_name(name, "model", input, sizeof input / sizeof *input);
}

/* user->compiled and the longest steps <- the text of a cache entry: a line of numbers, a digit for each state, and
 * the formulas; false if it is invalid */
static bool parse_entry(struct user_model *user, const char *text, size_t size)
{
    const int states = user->cell.states;
    int count, order, columns, end = 0;
    double limit[4];
    if (strlen(text) != size ||
        sscanf(text, "%d %d %d %lf %lf %lf %lf%n", &count, &order, &columns, &limit[0], &limit[1], &limit[2],
               &limit[3], &end) != 7 ||
        count != states || columns < 0)
        return false;
    for (int k = 0; k < 4; k++)
        if (!(limit[k] >= 0 && isfinite(limit[k])))
            return false;
    if (text[end++] != '\n' || strspn(text + end, "01") != (size_t)states || text[end + states] != '\n')
        return false;
    user->compiled = (struct compiled){.formulas = strdup(text + end + states + 1),
                                       .fp64 = malloc(((size_t)states + 1) * sizeof(bool)),
                                       .columns = columns,
                                       .order = order};
    user->step_accurate = limit[0];
    user->step_largest = limit[1];
    user->staggered_accurate = limit[2];
    user->staggered_largest = limit[3];
    if (!user->compiled.formulas || !user->compiled.fp64) {
        compiler_free(&user->compiled);
        return false;
    }
    for (int k = 0; k < states; k++)
        user->compiled.fp64[k] = text[end + k] == '1';
    return true;
}

/* user->compiled <- the cache entry or, if there is none, the text compiled anew */
static enum status compile_text(struct user_model *user, struct error *error)
{
    struct cache cache;
    struct error ignored;
    char name[CACHE_NAME], *text = NULL;
    size_t size = 0;
    name_entry(name, user);
    if (!cache_open(&cache, &ignored)) {
        text = cache_read(&cache, name, &size);
        cache_close(&cache);
    }
    user->cached = text && parse_entry(user, text, size);
    free(text);
    return user->cached ? STATUS_OK : compiler_make(&user->compiled, &user->cell, SOURCE_FORMULA, error);
}

/* Caches user->compiled; if that fails, the next start compiles again. */
static void cache_compiled(struct user_model *user)
{
    struct cache cache;
    struct error ignored;
    struct printed out;
    char name[CACHE_NAME];
    if (printed_open(&out, NULL))
        return;
    fprintf(out.file, "%d %d %d %.17g %.17g %.17g %.17g\n", user->cell.states, user->compiled.order,
            user->compiled.columns, user->model.step_accurate, user->model.step_largest,
            user->model.staggered_accurate, user->model.staggered_largest);
    for (int k = 0; k < user->cell.states; k++)
        fputc('0' + user->compiled.fp64[k], out.file);
    fprintf(out.file, "\n%s", user->compiled.formulas);
    name_entry(name, user);
    if (!printed_close(&out, NULL) && !cache_open(&cache, &ignored)) {
        user->cached = !cache_write(&cache, name, out.text, out.length, &ignored);
        cache_close(&cache);
    }
    free(out.text);
}

/* user->variant <- the variant of that name; name NULL = none */
static enum status find_variant(struct user_model *user, const char *name, struct error *error)
{
    struct suggestion suggestion = suggest_for(name ? name : "");
    for (int k = 0; k < user->cell.variants && name && !user->variant; k++)
        if (suggest_try(&suggestion, user->cell.variant[k].name))
            user->variant = &user->cell.variant[k];
    return !name || user->variant || (user->bundled && !user->cell.variants)
               ? STATUS_OK
               : error_at(error, STATUS_INPUT, user->path, 0, 0, "the text has no variant '%.80s'%s", name,
                          suggest_hint(&suggestion));
}

static enum status describe(struct user_model *user, const char *text, size_t bytes, const char *variant,
                            struct error *error)
{
    struct error reason = {0};
    struct sha256 sha;
    sha256_of(text, bytes, user->sha256);
    sha256_start(&sha);
    bundled_digest(&sha, text, bytes);
    sha256_end(&sha, user->equations);
    TRY(mmt_read(&user->cell, text, bytes, user->path, &user->scale, error));
    TRY(find_variant(user, variant, error));
    if (compile_text(user, &reason))
        return error_at(error, reason.status, user->path, 0, 0, "%s", reason.text);
    user->model.name = user->name;
    user->source = (struct model_source){.name = user->path, .formulas = user->compiled.formulas};
    return compiler_describe(&user->model, &user->values, &user->cell, user->variant, &user->compiled, error);
}

/* *user <- a new model of that text, parsed; the caller frees it even after an error */
static enum status read_model(struct user_model **user, const char *path, const char *variant,
                              const struct mmt_scale *scale, const struct bundled *bundled,
                              struct inputs *inputs, struct error *error)
{
    enum status status = STATUS_OK;
    char *text = NULL;
    size_t bytes = 0;
    *user = array_zeroed(1, sizeof **user, "a model", &status, error);
    TRY(status);
    TRY(keep_words(*user, path, bundled ? NULL : variant, scale, error));
    (*user)->bundled = bundled;
    if (bundled)
        return describe(*user, bundled_text(bundled->text), strlen(bundled_text(bundled->text)), variant,
                        error);
    TRY_DONE(
        input_text(&text, &bytes, path, USER_MODEL_BYTES, "this is not the text of a model", inputs, error));
    TRY_DONE(describe(*user, text, bytes, variant, error));
done:
    free(text);
    return status;
}

/* *out <- the model, added to the list; after an error it is freed */
static enum status add_model(struct user_model **list, struct user_model **out, struct user_model *user,
                             enum status status)
{
    if (status) {
        user_model_free(user);
        return status;
    }
    user->next = *list;
    *list = *out = user;
    return STATUS_OK;
}

/* Checks that no other model has the name that this one will have. */
static enum status check_name(const struct user_model *list, const char *path, const char *variant,
                              struct error *error)
{
    enum status status = STATUS_OK;
    char *name = name_of(path, variant);
    if (!name)
        return error_memory(error, "a model's name", 4096);
    for (; list && !status; list = list->next)
        if (!list->varied && strcmp(list->name, name) == 0)
            status = error_at(error, STATUS_INPUT, path, 0, 0,
                              "is named '%s', like another text or another use of it; rename one", name);
    if (!status && (ionic_find(name) || bundled_find(name)))
        status = error_at(error, STATUS_INPUT, path, 0, 0,
                          "has the name of the built-in model '%s'; rename it", name);
    free(name);
    return status;
}

enum status user_model_read(struct user_model **list, struct user_model **out, const char *path,
                            const char *variant, const struct mmt_scale *scale, struct inputs *inputs,
                            struct error *error)
{
    for (*out = *list; *out; *out = (*out)->next)
        if (!(*out)->varied && strcmp((*out)->path, path) == 0 && same_scale(&(*out)->scale, scale) &&
            ((*out)->variant ? variant && strcmp((*out)->variant->name, variant) == 0 : !variant))
            return STATUS_OK;
    TRY(user_model_foreign(path, error));
    TRY(check_name(*list, path, variant, error));
    struct user_model *user;
    enum status status = read_model(&user, path, variant, scale, NULL, inputs, error);
    return add_model(list, out, user, status);
}

enum status user_model_bundled(struct user_model **list, struct user_model **out,
                               const struct bundled *bundled, struct error *error)
{
    const struct mmt_scale scale = {0};
    for (*out = *list; *out; *out = (*out)->next)
        if ((*out)->bundled == bundled)
            return STATUS_OK;
    struct user_model *user;
    enum status status = read_model(&user, bundled->name, bundled->name, &scale, bundled, NULL, error);
    return add_model(list, out, user, status);
}

/* *user <- a new user_model with the formulas of `text`, which has them or is bundled; its model is still empty */
static enum status read_formulas(struct user_model **user, const struct user_model *text,
                                 const struct ionic_model *model, struct error *error)
{
    const struct mmt_scale scale = {0};
    struct bundled bundled = {.name = model->name};
    char name[80];
    enum status status = STATUS_OK;
    if (!text && !bundled_text_of(model))
        return error_set(error, STATUS_INPUT,
                         "%s is code without a text; its parameters have one value in a region", model->name);
    if (!text) {
        snprintf(name, sizeof name, "%.70s.mmt", model->source);
        bundled.text = name;
        status = read_model(user, model->name, model->name, &scale, &bundled, NULL, error);
        if (*user)
            (*user)->bundled = NULL;
        return status;
    }
    *user = array_zeroed(1, sizeof **user, "a model", &status, error);
    TRY(status);
    (*user)->cached = true;
    (*user)->source.formulas = text->compiled.formulas;
    TRY(keep_words(*user, text->path, NULL, &scale, error));
    (*user)->source.name = (*user)->path;
    return STATUS_OK;
}

/* Makes user->model a copy of the model with the parameters in source.varied stored for each cell. */
static enum status vary(struct user_model *user, const struct ionic_model *model, const int *parameter,
                        int parameters, struct error *error)
{
    enum status status = STATUS_OK;
    user->varied = array_new(parameters, sizeof *user->varied, "a model's parameters", &status, error);
    TRY(status);
    memcpy(user->varied, parameter, (size_t)parameters * sizeof *parameter);
    user->source.varied = user->varied;
    user->source.varies = parameters;
    user->base = model;
    user->model = *model;
    user->model.plain = user->model.avx2 = user->model.avx512 = NULL;
    user->model.cuda = NULL;
    user->model.varied = user->varied;
    user->model.varies = parameters;
    user->model.own_of_gates = source_gates_vary(&user->source);
    return STATUS_OK;
}

enum status user_model_vary(struct user_model **list, const struct ionic_model **out,
                            const struct ionic_model *model, const int *parameter, int parameters,
                            struct error *error)
{
    const size_t bytes = (size_t)parameters * sizeof *parameter;
    struct user_model *user = *list;
    while (user && !(user->base == model && user->source.varies == parameters &&
                     memcmp(user->varied, parameter, bytes) == 0))
        user = user->next;
    if (!user) {
        enum status status = read_formulas(&user, user_model_of(*list, model), model, error);
        if (!status)
            status = vary(user, model, parameter, parameters, error);
        TRY(add_model(list, &user, user, status));
    }
    *out = &user->model;
    return STATUS_OK;
}

const struct user_model *user_model_of(const struct user_model *list, const struct ionic_model *model)
{
    while (list && &list->model != model)
        list = list->next;
    return list;
}

void user_model_free(struct user_model *list)
{
    while (list) {
        struct user_model *next = list->next;
        for (int k = 0; k < 24; k++)
            if (list->library[k / 8][k / 4 % 2][k / 2 % 2][k % 2])
                dlclose(list->library[k / 8][k / 4 % 2][k / 2 % 2][k % 2]);
        compiler_free(&list->compiled);
        cell_free(&list->cell);
        free(list->values);
        free(list->varied);
        free(list->path);
        free(list->name);
        free((void *)(uintptr_t)list->scale.voltage);
        free(list);
        list = next;
    }
}

/* user->loops[k] <- the loops of one clone for one integration scheme */
static enum status load_loops(struct user_model *user, int k, struct source_way way, struct error *error)
{
    static const char *const clones[] = {"plain", "avx2", "avx512"};
    struct ionic_loops *loops = &user->loops[k];
    void **library = &user->library[k][way.mixed][way.tables][way.staggered];
    struct error reason = {0};
    const void *symbol;
    if (*library)
        return STATUS_OK;
    if (source_load(library, &symbol, &user->source, clones[k], way, &reason))
        return error_at(error, reason.status, user->path, 0, 0, "%s", reason.text);
    const struct ionic_model *code = symbol;
    user->model.columns_at = code->columns_at;
    user->model.table_reads = code->table_reads;
    user->model.own = code->own;
    memcpy(user->model.fill_own, code->fill_own, sizeof code->fill_own);
    memcpy(user->model.constants, code->constants, sizeof code->constants);
    memcpy(user->model.constants_bytes, code->constants_bytes, sizeof code->constants_bytes);
    loops->lanes = code->plain->lanes;
    loops->current[way.mixed] = code->plain->current[way.mixed];
    if (way.staggered && way.tables) {
        loops->tabled_gates[way.mixed] = code->plain->tabled_gates[way.mixed];
        loops->tabled_rest[way.mixed] = code->plain->tabled_rest[way.mixed];
    } else if (way.staggered) {
        loops->gates[way.mixed] = code->plain->gates[way.mixed];
        loops->rest[way.mixed] = code->plain->rest[way.mixed];
    } else if (way.tables) {
        loops->tabled[way.mixed] = code->plain->tabled[way.mixed];
    } else {
        loops->step[way.mixed] = code->plain->step[way.mixed];
    }
    const struct ionic_loops **of_model[] = {&user->model.plain, &user->model.avx2, &user->model.avx512};
    *of_model[k] = loops;
    return STATUS_OK;
}

/* Whether the table is independent of the varying parameters; known once the model is loaded */
static bool has_table(const struct user_model *user)
{
    bool has = true;
    for (int v = 0; v < user->source.varies && has; v++)
        has = !user->model.table_reads(user->varied[v]);
    return has;
}

/* Loads the loops without tables and, with tables, those too: a table cannot always be used (ionic_table_build()). */
static enum status load_all_loops(struct user_model *user, int k, struct source_way way, struct error *error)
{
    if (way.tables)
        TRY(ionic_table_known(&user->model, error));
    TRY(load_loops(user, k, (struct source_way){way.mixed, false, way.staggered}, error));
    return way.tables && has_table(user) ? load_loops(user, k, way, error) : STATUS_OK;
}

/* Index of the instruction set of a backend such as "cpu-avx2" */
static int clone_of(const struct backend *backend)
{
    return strncmp(backend->name, "cpu-avx512", 10) == 0 ? 2 : strcmp(backend->name, "cpu-avx2") == 0;
}

/* Finds the sums that the text's rates conserve, which a cache entry does not contain. */
static enum status find_sums(struct user_model *user, struct error *error)
{
    struct compiled again;
    if (user->compiled.sums.cell)
        return STATUS_OK;
    TRY(compiler_make(&again, &user->cell, SOURCE_FORMULA, error));
    user->compiled.sums = again.sums;
    again.sums = (struct sums){0};
    compiler_free(&again);
    return STATUS_OK;
}

enum status user_model_compile(struct user_model *user, struct source_way way, struct error *error)
{
    const int k = clone_of(backend_find("cpu", error));
    struct ionic_model *model = &user->model;
    const double *largest = way.staggered ? &model->staggered_largest : &model->step_largest;
    if (user->varied)
        return load_all_loops(user, k, way, error);
    if (user->cached && !(model->step_largest > 0) && !(model->staggered_largest > 0)) {
        model->step_accurate = user->step_accurate;
        model->step_largest = user->step_largest;
        model->staggered_accurate = user->staggered_accurate;
        model->staggered_largest = user->staggered_largest;
    }
    if (!(*largest > 0)) {
        struct error reason = {0};
        TRY(load_loops(user, k, (struct source_way){.staggered = way.staggered}, error));
        TRY(find_sums(user, error));
        if (steps_find(model, &user->compiled.sums, way.staggered, &reason))
            return error_at(error, reason.status, user->path, 0, 0, "%s", reason.text);
        user->cached = false;
    }
    TRY(load_all_loops(user, k, way, error));
    if (!user->cached)
        cache_compiled(user);
    return STATUS_OK;
}

static enum status load_kernels(struct user_model *user, struct queue *queue, struct source_way way,
                                struct error *error)
{
    enum { KERNELS = 5 }; /* the last two of staggered steps */
    struct ionic_kernels *k = &user->kernels;
    const void **const steps[2][2][2] = {
        {{k->step, k->step_runs}, {k->staggered, k->staggered_runs}},
        {{k->tabled, k->tabled_runs}, {k->tabled_staggered, k->tabled_staggered_runs}}};
    const void **const *own = steps[way.tables][way.staggered];
    const void **const into[KERNELS] = {own[0], own[1], k->current, k->gates, k->gates_runs};
    const char *const how = source_how(way), *const what[KERNELS] = {how, how, "current", "gates", "gates"};
    static const char *const of[KERNELS] = {"cells", "runs", "cells", "cells", "runs"};
    const int kernels = way.staggered ? KERNELS : KERNELS - 2;
    char text[KERNELS][64], *image = NULL;
    const char *name[KERNELS];
    const void *kernel[KERNELS];
    struct error reason = {0};
    if (own[0][way.mixed])
        return STATUS_OK;
    for (int n = 0; n < kernels; n++) {
        snprintf(text[n], sizeof text[n], SOURCE_FORMULA "_%s_%s_%s", what[n], of[n],
                 way.mixed ? "float" : "double");
        name[n] = text[n];
    }
    enum status status =
        source_image(&image, &user->source, queue->backend->architecture(queue), way, &reason);
    if (!status)
        status = queue->backend->load(queue, image, name, kernel, kernels, &reason);
    free(image);
    if (status)
        return error_at(error, status, user->path, 0, 0, "%s", reason.text);
    for (int n = 0; n < kernels; n++)
        into[n][way.mixed] = kernel[n];
    user->model.cuda = &user->kernels;
    return STATUS_OK;
}

static enum status load_all_kernels(struct user_model *user, struct queue *queue, struct source_way way,
                                    struct error *error)
{
    if (way.tables)
        TRY(ionic_table_known(&user->model, error));
    TRY(load_kernels(user, queue, (struct source_way){way.mixed, false, way.staggered}, error));
    return way.tables && has_table(user) ? load_kernels(user, queue, way, error) : STATUS_OK;
}

enum status user_model_load(struct user_model *list, struct queue *queue, struct source_way way,
                            struct error *error)
{
    for (; list; list = list->next)
        TRY(queue->backend->immediate ? load_all_loops(list, clone_of(queue->backend), way, error)
                                      : load_all_kernels(list, queue, way, error));
    return STATUS_OK;
}
