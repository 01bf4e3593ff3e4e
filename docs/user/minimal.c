/* Stimulates a sheet of cells and prints V of its last node, and the results so far:
 * cc minimal.c -o minimal $(pkg-config --cflags --libs cardiac) */
#include <cardiac.h>
#include <stdio.h>

static const char config[] = "version: 1\n"
                             "mesh: {sheet: {size: [10 mm, 10 mm], spacing: 0.25 mm}}\n"
                             "tissue:\n"
                             "  surface_to_volume: 140 /mm\n"
                             "  regions: [{tags: all, model: tp06-epi, conductivity: 0.2 S/m}]\n"
                             "stimuli: [{name: S1, where: 'x < 1 mm', duration: 2 ms, current: 50 uA/uF}]\n"
                             "time: {end: 100 ms, step: 0.05 ms}\n";

int main(void)
{
    struct cardiac *sim;
    char *json;
    double v;
    int64_t nodes, last;
    int failed = cardiac_open(&sim, config, NULL, NULL) || cardiac_nodes(sim, &nodes);
    for (int ms = 10; ms <= 30 && !failed; ms += 10) {
        last = nodes - 1;
        failed = cardiac_advance(sim, ms) || cardiac_get_at(sim, "V", &last, 1, &v);
        if (!failed)
            printf("%d ms: %.1f mV\n", ms, v);
    }
    failed = failed || cardiac_report(sim, &json);
    if (failed)
        fprintf(stderr, "%s\n", cardiac_error(sim));
    else
        fputs(json, stdout);
    cardiac_free(failed ? NULL : json);
    cardiac_close(sim);
    return failed;
}
