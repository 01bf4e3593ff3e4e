/* bench.c: read the command line, and run the chosen benches on a device and its matrices. */
#include "app/bench/case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/text_model.h"
#include "app/config/units.h"
#include "app/run/device.h"
#include "app/util/command.h"
#include "kernels/base/suggest.h"
#include "app/util/options.h"
#include "kernels/base/clock.h"
#include "kernels/device/cpu.h"

/* Sections for a matrix; every one belongs to jacobi */
static const struct section {
    const char *name, *title;
    enum status (*run)(struct bench *bench, struct bench_case *c, struct error *error);
    bool spmv, square, explicit_step; /* also in spmv; there only for such matrices */
} sections[] = {
    {.name = "formats", .title = "formats", .run = bench_formats, .spmv = true},
    {.name = "permutations",
     .title = "permutations",
     .run = bench_permutations,
     .spmv = true,
     .square = true},
    {.name = "precision", .title = "precision", .run = bench_precision},
    {.name = "mixed_refinement", .title = "multi-precision Jacobi", .run = bench_mixed_refinement},
    {.name = "updates", .title = "vector updates", .run = bench_updates, .spmv = true, .explicit_step = true},
    {.name = "layouts", .title = "layouts", .run = bench_layouts},
    {.name = "against_vendor", .title = "against the vendor", .run = bench_against_vendor}};
enum { SECTIONS = sizeof sections / sizeof *sections };

/* Whether a list "a,b,c" contains that name; NULL contains all */
static bool list_has(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == 0))
            return true;
    return !list;
}

/* Whether a section belongs to jacobi (sweep) or spmv, and applies to the matrix */
static bool is_of(const struct section *section, const struct bench_matrix *matrix, bool sweep)
{
    return sweep || (section->spmv && (!section->square || matrix->rows == matrix->columns) &&
                     (!section->explicit_step || matrix->explicit_step));
}

static enum status measure_matrix(struct bench *bench, const struct bench_matrix *matrix, bool sweep,
                                  struct error *error)
{
    if (sweep && matrix->no_sweep) {
        bench_section(bench, "jacobi", matrix->name, "formats");
        bench_blank(bench, "all", matrix->no_sweep);
        return STATUS_OK;
    }
    for (int k = 0; k < SECTIONS; k++) {
        struct bench_case *c;
        if (!list_has(bench->section, sections[k].name) || !is_of(&sections[k], matrix, sweep))
            continue;
        bench_section(bench, sweep ? "jacobi" : "spmv", matrix->name, sections[k].title);
        TRY(bench_case_make(&c, bench, matrix, sweep, NULL, PERMUTED_SYMMETRIC, error));
        TRY(sections[k].run(bench, c, error));
        bench_release(bench, 0);
    }
    return STATUS_OK;
}

static enum status bench_spmv(struct bench *bench, struct error *error)
{
    return bench_each_matrix(bench, false, measure_matrix, error);
}

static enum status bench_jacobi(struct bench *bench, struct error *error)
{
    return bench_each_matrix(bench, true, measure_matrix, error);
}

static const struct {
    const char *name;
    enum status (*run)(struct bench *bench, struct error *error);
} benches[] = {{"spmv", bench_spmv},
               {"jacobi", bench_jacobi},
               {"ionic", bench_ionic},
               {"gemm", bench_gemm},
               {"step", bench_step}};
enum { BENCHES = sizeof benches / sizeof *benches, IONIC = 2, STEP = 4, TEXTS_MAX = 100 };

/* chosen[k] <- true if a name selects bench k; moves the names of model texts to the front, bench->text */
static enum status choose_benches(struct bench *bench, int count, char **names, bool chosen[BENCHES],
                                  struct error *error)
{
    bench->text = names;
    for (int n = 0; n < count; n++) {
        bool found = false;
        if (user_model_is_file(names[n])) {
            names[bench->texts++] = names[n];
            continue;
        }
        struct suggestion suggestion = suggest_for(names[n]);
        suggest_try(&suggestion, "all");
        for (int k = 0; k < BENCHES; k++)
            if (suggest_try(&suggestion, benches[k].name) || strcmp(names[n], "all") == 0)
                found = chosen[k] = true;
        if (!found)
            return error_set(error, STATUS_INPUT, "no bench '%.80s'%s", names[n],
                             suggestion.best ? suggest_hint(&suggestion)
                                             : "; there are all, spmv, jacobi, ionic, gemm and step");
    }
    if (bench->texts && !chosen[IONIC])
        return error_set(error, STATUS_INPUT, "%s is a model's text; name ionic, too", names[0]);
    if (bench->model_options->count && !bench->texts)
        return error_set(error, STATUS_INPUT, "--model is for texts: cardiac bench ionic FILE.mmt");
    return STATUS_OK;
}

/* Checks that each name of "a,b,c" is a section. */
static enum status check_sections(const char *list, struct error *error)
{
    for (size_t length; list; list = list[length] ? list + length + 1 : NULL) {
        char name[100];
        bool found = false;
        length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 99 ? length : 99), list);
        struct suggestion suggestion = suggest_for(name);
        for (int k = 0; k < SECTIONS; k++)
            found = suggest_try(&suggestion, sections[k].name) || found;
        if (!found)
            return error_set(error, STATUS_INPUT, "no section '%.80s'%s", name,
                             suggestion.best
                                 ? suggest_hint(&suggestion)
                                 : "; there are formats, permutations, precision, mixed_refinement, updates, "
                                   "layouts and against_vendor");
    }
    return STATUS_OK;
}

/* *value <- text in that quantity's unit, which must be above 0; NaN if text is NULL */
static enum status read_number(double *value, const char *name, const char *text, enum quantity quantity,
                               struct error *error)
{
    *value = NAN;
    if (!text)
        return STATUS_OK;
    struct error why;
    if (units_read(value, text, quantity, &why))
        return error_set(error, STATUS_INPUT, "%s: %.300s", name, why.text);
    if (!(*value > 0))
        return error_set(error, STATUS_INPUT, "%s %.80s: it must be above 0", name, text);
    return STATUS_OK;
}

static enum status run_chosen(struct bench *bench, const bool chosen[BENCHES], int threads,
                              struct error *error)
{
    enum status status = STATUS_OK;
    bench_begin(bench, threads);
    if (chosen[0] || chosen[1] || bench->texts) /* their rows are compared with the copy */
        status = chosen[STEP] ? STATUS_OK : bench_ceilings(bench, error);
    for (int k = BENCHES - 1; k >= 0 && !status; k--) /* step first: it measures the ceilings */
        if (chosen[k]) {
            status = benches[k].run(bench, error);
            bench_release(bench, 0);
        }
    bench_release(bench, 0); /* also what failed ceilings allocated */
    bench_end(bench);
    if (status)
        return status;
    if (bench->wrong)
        return error_set(error, STATUS_DIFFERS,
                         bench->inject ? "%d of %d variants missed the error planted in their input"
                                       : "%d of %d variants are wrong and were not timed",
                         bench->wrong, bench->wrong + bench->right);
    if (!bench->report.json)
        printf(bench->inject ? "\nAll %d variants noticed the error planted in their input.\n"
                             : "\nAll %d variants are right.\n",
               bench->right);
    return STATUS_OK;
}

static enum status measure_on(struct bench *bench, const bool chosen[BENCHES], const char *device,
                              int threads, struct error *error)
{
    TRY(device_open(device, threads, &bench->queue, error));
    bench->begun = clock_seconds();
    bench->device = bench_device(bench->queue->backend);
    bench->is_cpu = strncmp(bench->queue->backend->name, "cpu", 3) == 0;
    enum status status =
        bench->device ? run_chosen(bench, chosen, bench->is_cpu ? cpu_threads(bench->queue) : 0, error)
                      : error_set(error, STATUS_INPUT, "this build cannot measure %s; use --device cpu",
                                  bench->queue->backend->name);
    queue_free(bench->queue);
    return status;
}

enum status bench_command(int argc, char **argv, struct error *error)
{
    struct bench bench = {0};
    bool help = false, chosen[BENCHES] = {false};
    const char *device = "auto", *percent = NULL, *range = NULL, *budget = NULL, *spacing = NULL;
    struct option_list sets = {0}, model_options = {0};
    int threads = 0, count;
    const struct option options[] = {
        {"--json", NULL, "results as JSON, not as tables", .flag = &bench.report.json},
        {"--quick", NULL, "small sizes, few repeats: a check that all variants are right",
         .flag = &bench.quick},
        {"--inject", NULL, "plant an error into what every variant reads; each must be found wrong",
         .flag = &bench.inject},
        {"--device", "NAME", "auto, cpu, cuda, ...", .text = &device},
        {"--threads", "N", "threads of the CPU, 0 = by its cores", .number = &threads},
        {"--matrix", "FILE", "a matrix in Matrix Market format (.mtx, .mtx.gz) in place of our own",
         .text = &bench.file},
        {"--config", "CONFIG", "the mesh and tissue of this config in place of a slab",
         .text = &bench.config},
        {"--refine", "N", "split the elements of the mesh N times", .number = &bench.refine},
        {"--set", "KEY=VALUE",
         "override a key of that config or of the slab's, such as solver.precision=double (may be repeated)",
         .list = &sets},
        {"--spacing", "LENGTH", "node spacing of the slab (0.2 mm; 0.1 mm on a GPU)", .text = &spacing},
        {"--section", "NAMES",
         "of spmv and jacobi only these: formats,permutations,precision,mixed_refinement,updates,layouts,"
         "against_vendor",
         .text = &bench.section},
        {"--profile", NULL,
         "of step only this: the time of a run's steps, their parts, set-up and first step",
         .flag = &bench.profile},
        {"--vendor", NULL,
         "also the driver's copy, cuSPARSE's products in step, and its CSR after an analysis of the matrix",
         .flag = &bench.vendor},
        TEXT_MODEL_OPTION(&model_options),
        {"--progress", NULL, "report each variant on the error output, and how long it took in all",
         .flag = &bench.progress},
        {"--percent", "P", "row choice: single when P % of the entries lie under the range (90)",
         .text = &percent},
        {"--range", "R", "row choice: the range of |e|/d", .text = &range},
        {"--budget", "V", "row choice: the most that fp32 may move V in a step (mV)", .text = &budget},
        {0}};
    const struct usage usage = {
        "bench all|spmv|jacobi|ionic [FILE.mmt...]|gemm|step... [options]",
        "Validate every format, order, precision and update scheme against fp64 on random data,\n"
        "and time those that are right. Status 1 when one is wrong. ionic steps the models of FILEs.",
        options, .least = 0, .most = BENCHES + 1 + TEXTS_MAX};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    if (status || help)
        goto done;
    bench.set = sets.item;
    bench.sets = sets.count;
    bench.model_options = &model_options;
    if (count == 0)
        TRY_DONE(
            error_set(error, STATUS_INPUT, "name what to measure: all, spmv, jacobi, ionic, gemm or step"));
    if (bench.file && bench.config)
        TRY_DONE(error_set(error, STATUS_INPUT, "--matrix and --config exclude each other"));
    TRY_DONE(choose_benches(&bench, count, argv + 1, chosen, error));
    if (bench.profile && !chosen[STEP])
        TRY_DONE(error_set(error, STATUS_INPUT, "--profile belongs to step: cardiac bench step --profile"));
    TRY_DONE(check_sections(bench.section, error));
    TRY_DONE(read_number(&bench.percent, "--percent", percent, QUANTITY_NUMBER, error));
    if (bench.percent > 100)
        TRY_DONE(error_set(error, STATUS_INPUT, "--percent %s: at most 100", percent));
    TRY_DONE(read_number(&bench.range, "--range", range, QUANTITY_NUMBER, error));
    TRY_DONE(read_number(&bench.budget, "--budget", budget, QUANTITY_VOLTAGE, error));
    TRY_DONE(read_number(&bench.spacing, "--spacing", spacing, QUANTITY_LENGTH, error));
    status = measure_on(&bench, chosen, device, threads, error);
done:
    free(sets.item);
    free(model_options.item);
    return status;
}
