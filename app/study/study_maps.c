/* study_maps.c: write the maps of all runs of a study to one result. Frame k is run k + 1 of this part; its time is the
 * number of the run. */
#include "app/study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/io/result/output.h"
#include "app/io/store/h5.h"
#include "app/run/map_values.h"
#include "app/util/version.h"
#include "kernels/base/array.h"

static const char what[] = "the maps of a study";

/* Whether the maps' file belongs to this study, although it has no row yet: a kill before the first row leaves it so */
static bool are_own(const struct study *study, const char *path)
{
    char *then = NULL, *now = config_printed(&study->base);
    struct h5_file file;
    bool own = now && !h5_open(&file, path, false, NULL);
    if (own) {
        own = !h5_read_text(&file, "/run/config", &then, NULL) && strcmp(then, now) == 0;
        h5_close(&file, NULL);
    }
    free(then);
    free(now);
    return own;
}

enum status study_maps_begin(const struct study *study, struct error *error)
{
    char *path = NULL;
    if (!study->request.maps)
        return STATUS_OK;
    TRY(study_path(&path, study, "maps", "vtkhdf", error));
    enum status status = output_claim(path, study->request.overwrite, study_table_elsewhere, error);
    if (!status && !study->request.overwrite && study->done == 0 && access(path, F_OK) == 0 &&
        !are_own(study, path))
        status = error_set(error, STATUS_INPUT, "%s exists, but no run of this study is in its table; %s",
                           path, study_table_elsewhere);
    free(path);
    return status;
}

/* value[maps][nodes] <- the first beat of each map */
static enum status find_maps(double **value, const struct study *study, const struct setup *setup,
                             struct error *error)
{
    const struct config_output *output = &study->base.output;
    const int64_t nodes = setup->problem.mesh.nodes;
    struct map_values values = {0};
    enum status status = map_values_create(&values, setup->sim, &setup->problem.mesh,
                                           setup->config.physics.activation_beats, error);
    for (int m = 0; m < output->maps && !status; m++) {
        struct maps_map map;
        maps_find(&map, output->map[m], NULL);
        const int64_t width = map_values_width(&values, &map);
        status = map_values_make(&values, &map, NULL, error);
        for (int64_t i = 0; i < nodes && !status; i++)
            value[m][i] = values.value[i * width];
    }
    map_values_free(&values);
    return status;
}

/* Appends empty frames for runs that have none, then that of run k: value[maps][nodes], or NULL for an empty one */
static enum status append(struct output *out, const struct study *study, int64_t k, double *const *value,
                          double *const *none, struct error *error)
{
    for (int64_t r = output_frames(out); r < k; r++)
        TRY(output_append(out, (double)(study->first + r + 1), (const double *const *)none, error));
    return output_append(out, (double)(study->first + k + 1), (const double *const *)(value ? value : none),
                         error);
}

static enum status open_maps(struct output **out, const struct study *study, const char *path, int64_t k,
                             const struct setup *setup, const char *text, const char *libraries,
                             const struct output_field *field, struct error *error)
{
    const struct output_params params = {.path = path,
                                         .mesh = &setup->problem.mesh,
                                         .fiber = setup->problem.params.fiber,
                                         .field = field,
                                         .fields = study->base.output.maps,
                                         .config = text,
                                         .program = version_text(),
                                         .libraries = libraries,
                                         .device = setup->queue->backend->name,
                                         .deflate = 1,
                                         .frames = study->runs};
    if (access(path, F_OK) == 0 && !(study->request.overwrite && study->done == 0))
        return output_resume(out, &params, (double)(study->first + k), false, error);
    return output_create(out, &params, true, error);
}

enum status study_maps_put(const struct study *study, int64_t k, const struct setup *setup, bool failed,
                           struct error *error)
{
    const int maps = study->base.output.maps;
    const int64_t nodes = setup->problem.mesh.nodes;
    char *path = NULL, *text = config_printed(&study->base), *libraries = version_libraries();
    struct output *out = NULL;
    enum status status = STATUS_OK;
    struct output_field *field = array_zeroed(maps, sizeof *field, what, &status, error);
    double *all = array_new(nodes * (maps + 1), sizeof *all, what, &status, error);
    double **value = array_zeroed(2 * (int64_t)maps, sizeof *value, what, &status, error);
    if (!status && (!text || !libraries))
        status = error_memory(error, what, 1);
    TRY_DONE(status);
    for (int64_t i = 0; i < nodes; i++)
        all[nodes * maps + i] = (double)NAN;
    for (int m = 0; m < maps; m++) {
        struct maps_map map;
        maps_find(&map, study->base.output.map[m], NULL);
        field[m] = (struct output_field){map.name, map.unit, false};
        value[m] = all + m * nodes;
        value[maps + m] = all + maps * nodes;
    }
    TRY_DONE(study_path(&path, study, "maps", "vtkhdf", error));
    if (!failed)
        TRY_DONE(find_maps(value, study, setup, error));
    TRY_DONE(open_maps(&out, study, path, k, setup, text, libraries, field, error));
    status = append(out, study, k, failed ? NULL : value, value + maps, error);
    if (!status && study->done == 0)
        status = output_end(out, error); /* frames of an earlier study */
    enum status closed = output_close(out, NULL, 0, status ? NULL : error);
    status = status ? status : closed;
done:
    free(field);
    free(all);
    free(value);
    free(path);
    free(text);
    free(libraries);
    return status;
}
