/* bench.c: `cardiac bench`: which benches, on which device and matrix. */
#include "app/bench/bench.h"

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

static const struct {
    const char *name;
    enum status (*run)(struct bench *bench, struct error *error);
} benches[] = {{"spmv", bench_spmv},
               {"jacobi", bench_jacobi},
               {"ionic", bench_ionic},
               {"gemm", bench_gemm},
               {"step", bench_step}};
enum { BENCHES = sizeof benches / sizeof *benches, IONIC = 2, TEXTS_MAX = 100 };

/* chosen[k] <- whether bench k is asked for by the names; those of texts become the first of them */
static enum status choose(struct bench *bench, int count, char **names, bool chosen[BENCHES],
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
        for (int k = 0; k < BENCHES; k++) {
            suggest_try(&suggestion, benches[k].name);
            if (strcmp(names[n], benches[k].name) == 0 || strcmp(names[n], "all") == 0)
                found = chosen[k] = true;
        }
        char hint[100];
        suggest_hint(&suggestion, hint, sizeof hint);
        if (!found)
            return error_set(error, STATUS_INPUT, "no bench '%.80s'%s", names[n],
                             *hint ? hint : "; there are all, spmv, jacobi, ionic, gemm and step");
    }
    if (bench->texts && !chosen[IONIC])
        return error_set(error, STATUS_INPUT, "%s is a model's text, which is of ionic", names[0]);
    if (bench->said->count && !bench->texts)
        return error_set(error, STATUS_INPUT, "--model is for texts: cardiac bench ionic FILE.mmt");
    return STATUS_OK;
}

static enum status check_section(const char *section, struct error *error)
{
    static const char *const known[] = {"formats", "permutations", "precision",     "mixed_refinement",
                                        "updates", "layouts",      "against_vendor"};
    struct suggestion suggestion = suggest_for(section);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        suggest_try(&suggestion, known[k]);
        if (strcmp(section, known[k]) == 0)
            return STATUS_OK;
    }
    char hint[100];
    suggest_hint(&suggestion, hint, sizeof hint);
    return error_set(error, STATUS_INPUT, "no section '%.80s'%s", section,
                     *hint
                         ? hint
                         : "; there are formats, permutations, precision, mixed_refinement, updates, layouts "
                           "and against_vendor");
}

/* Each name of "a,b,c" */
static enum status check_sections(const char *list, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t length; list && !status; list = list[length] ? list + length + 1 : NULL) {
        char name[100];
        length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 99 ? length : 99), list);
        status = check_section(name, error);
    }
    return status;
}

/* *value <- text in that quantity's unit, above 0; NaN where there is no text */
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
    report_begin(&bench->report, bench->device->name, threads);
    if (chosen[0] || chosen[1] || bench->texts) /* their rows compare with the copy */
        status = chosen[4] ? STATUS_OK : bench_ceilings(bench, error);
    for (int k = BENCHES - 1; k >= 0 && !status; k--) /* step first: it measures the ceilings */
        if (chosen[k])
            status = benches[k].run(bench, error);
    report_end(&bench->report);
    if (status)
        return status;
    if (bench->wrong)
        return error_set(error, STATUS_DIFFERS,
                         bench->inject ? "%d of %d variants did not see the error planted in their input"
                                       : "%d of %d variants are wrong and were not timed",
                         bench->wrong, bench->wrong + bench->right);
    if (!bench->report.json)
        printf(bench->inject ? "\nAll %d variants saw the error planted in their input.\n"
                             : "\nAll %d variants are right.\n",
               bench->right);
    return STATUS_OK;
}

static enum status measure_on(struct bench *bench, const bool chosen[BENCHES], const char *device,
                              int threads, struct error *error)
{
    enum status status = device_open(device, threads, &bench->queue, error);
    if (status)
        return status;
    bench->begun = clock_seconds();
    bench->device = bench_device(bench->queue->backend);
    bool is_cpu = strncmp(bench->queue->backend->name, "cpu", 3) == 0;
    status = bench->device ? run_chosen(bench, chosen, is_cpu ? cpu_threads(bench->queue) : 0, error)
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
    struct option_list sets = {0}, said = {0};
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
         "beside ours the driver's copy, cuSPARSE's products in step, and its CSR after a look at the matrix",
         .flag = &bench.vendor},
        TEXT_MODEL_OPTION(&said),
        {"--progress", NULL, "say on the error output what is done, and how long each variant took in all",
         .flag = &bench.progress},
        {"--percent", "P", "row choice: single when P % of the entries lie under the range (90)",
         .text = &percent},
        {"--range", "R", "row choice: the range of |e|/d", .text = &range},
        {"--budget", "V", "row choice: the most that fp32 may move V in a step (mV)", .text = &budget},
        {0}};
    const struct usage usage = {
        "bench all|spmv|jacobi|ionic [FILE.mmt...]|gemm|step... [options]",
        "Validate every format, order, precision and update scheme against fp64 on random data,\n"
        "and time those that are right. Status 1 when one is wrong. Of FILEs ionic steps their models.",
        options, .least = 0, .most = BENCHES + 1 + TEXTS_MAX};
    enum status status = options_read(&usage, argc, argv, &count, &help, error);
    bench.set = sets.item;
    bench.sets = sets.count;
    bench.said = &said;
    if (!status && !help && count == 0)
        status =
            error_set(error, STATUS_INPUT, "say what to measure: all, spmv, jacobi, ionic, gemm or step");
    if (!status && bench.file && bench.config)
        status = error_set(error, STATUS_INPUT, "--matrix and --config exclude each other");
    if (!status && !help)
        status = choose(&bench, count, argv + 1, chosen, error);
    if (!status && !help && bench.profile && !chosen[BENCHES - 1])
        status = error_set(error, STATUS_INPUT, "--profile is of step: cardiac bench step --profile");
    AND(check_sections(bench.section, error));
    AND(read_number(&bench.percent, "--percent", percent, QUANTITY_NUMBER, error));
    if (!status && bench.percent > 100)
        status = error_set(error, STATUS_INPUT, "--percent %s: at most 100", percent);
    AND(read_number(&bench.range, "--range", range, QUANTITY_NUMBER, error));
    AND(read_number(&bench.budget, "--budget", budget, QUANTITY_VOLTAGE, error));
    AND(read_number(&bench.spacing, "--spacing", spacing, QUANTITY_LENGTH, error));
    if (!status && !help)
        status = measure_on(&bench, chosen, device, threads, error);
    free(sets.item);
    free(said.item);
    return status;
}
