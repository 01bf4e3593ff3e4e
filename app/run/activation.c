/* activation.c: when the probes were activated, for the log: the figures that benchmarks of a travelling
 * front compare, without a look into the result file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/run/run.h"

/* " NAME t1 t2 ...", or " NAME never" */
static void put_probe(FILE *file, const struct probe *probe, const double *map, int64_t beats)
{
    fprintf(file, " %s", probe->name);
    if (isnan(map[probe->node * beats]))
        fprintf(file, " never");
    for (int64_t b = 0; b < beats && !isnan(map[probe->node * beats + b]); b++)
        fprintf(file, " %.7g", map[probe->node * beats + b]);
}

enum status run_say_activation(struct run *run, int variable, struct error *error)
{
    int probes = run->config.output.probes;
    if (probes == 0 || monodomain_step(run->sim) == 0)
        return STATUS_OK;
    enum status status = monodomain_get(run->sim, variable, run->map, error);
    char *text = NULL;
    size_t length = 0;
    FILE *file = status ? NULL : open_memstream(&text, &length);
    if (!file)
        return status ? status : error_memory(error, "a line of the log", 4096);
    for (int p = 0; p < probes; p++) {
        fprintf(file, "%s", p ? "," : "");
        put_probe(file, &run->problem.probe[p], run->map, run->config.physics.activation_beats);
    }
    fclose(file);
    if (!text)
        return error_memory(error, "a line of the log", 4096);
    progress_say(run->progress, "probes activated at, ms:%s", text);
    free(text);
    return STATUS_OK;
}
