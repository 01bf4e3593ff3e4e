/* checkpoint_monodomain.c: the variables of a tissue to and from a checkpoint, one at a time. A state covers
 * the nodes of its model group alone, so that each node's values are stored once. */
#include "app/checkpoint_monodomain.h"

#include <stdlib.h>
#include <string.h>

static const char group_name[] = "model_group";

/* Work space of one variable. */
struct space {
    int64_t nodes;
    int32_t *group; /* [nodes] model group of each node */
    double *value;  /* [nodes * widest] */
    void *packed;   /* the same, of the covered nodes, in the stored type */
};

static void free_space(struct space *space)
{
    free(space->group);
    free(space->value);
    free(space->packed);
}

static enum status make_space(struct space *space, struct monodomain *sim, int64_t nodes, struct error *error)
{
    int64_t widest = 1;
    for (int k = 0; k < monodomain_variables(sim); k++)
        if (monodomain_variable(sim, k)->width > widest)
            widest = monodomain_variable(sim, k)->width;
    size_t values = (size_t)(nodes * widest);
    space->nodes = nodes;
    space->group = malloc((size_t)nodes * sizeof *space->group + 1);
    space->value = malloc(values * 8 + 1);
    space->packed = malloc(values * 8 + 1);
    if (!space->group || !space->value || !space->packed) {
        free_space(space);
        return error_memory(error, "a checkpoint", 16 * (double)values);
    }
    monodomain_group_map(sim, space->group);
    return STATUS_OK;
}

static bool covers(const struct space *space, const struct variable *variable, int64_t node)
{
    return variable->group < 0 || space->group[node] == variable->group;
}

static int64_t count_values(const struct space *space, const struct variable *variable)
{
    int64_t nodes = 0;
    for (int64_t i = 0; i < space->nodes; i++)
        nodes += covers(space, variable, i);
    return nodes * variable->width;
}

/* packed <- value at the covered nodes; returns how many values */
static int64_t pack(struct space *space, const struct variable *variable)
{
    int64_t n = 0, width = variable->width;
    for (int64_t i = 0; i < space->nodes; i++)
        for (int64_t w = 0; w < width && covers(space, variable, i); w++) {
            double x = space->value[i * width + w];
            if (variable->single)
                ((float *)space->packed)[n++] = (float)x;
            else
                ((double *)space->packed)[n++] = x;
        }
    return n;
}

/* value <- packed (doubles) at the covered nodes, 0 elsewhere */
static void unpack(struct space *space, const struct variable *variable)
{
    int64_t n = 0, width = variable->width;
    for (int64_t i = 0; i < space->nodes; i++)
        for (int64_t w = 0; w < width; w++)
            space->value[i * width + w] = covers(space, variable, i) ? ((double *)space->packed)[n++] : 0;
}

enum status checkpoint_save(struct monodomain *sim, int64_t nodes, const char *directory,
                            struct checkpoint_head *head, int keep, struct error *error)
{
    struct space space;
    struct checkpoint *checkpoint = NULL;
    head->step = monodomain_step(sim);
    head->time = monodomain_time(sim);
    head->history = monodomain_history(sim);
    enum status status = make_space(&space, sim, nodes, error);
    if (status)
        return status;
    status = checkpoint_create(&checkpoint, directory, head, error);
    if (!status)
        status = checkpoint_put(checkpoint, group_name, -1, CHECKPOINT_INT32, nodes, space.group, error);
    for (int k = 0; k < monodomain_variables(sim) && !status; k++) {
        const struct variable *variable = monodomain_variable(sim, k);
        status = monodomain_get(sim, k, space.value, error);
        if (!status)
            status = checkpoint_put(checkpoint, variable->name, variable->group,
                                    variable->single ? CHECKPOINT_FLOAT : CHECKPOINT_DOUBLE,
                                    pack(&space, variable), space.packed, error);
    }
    if (!status)
        status = checkpoint_commit(checkpoint, keep, error);
    checkpoint_close(checkpoint);
    free_space(&space);
    return status;
}

/* The model groups of the checkpoint cover the nodes that the tissue's do. */
static enum status same_groups(struct space *space, struct checkpoint *checkpoint, struct error *error)
{
    int k = checkpoint_find(checkpoint, group_name, -1);
    const struct checkpoint_array *array = k < 0 ? NULL : checkpoint_array(checkpoint, k);
    if (!array || array->type != CHECKPOINT_INT32 || array->count != space->nodes)
        return error_set(error, STATUS_INPUT, "%s: it is of a mesh with another number of nodes than %lld",
                         checkpoint_path(checkpoint), (long long)space->nodes);
    enum status status = checkpoint_get(checkpoint, k, space->packed, error);
    const int32_t *then = space->packed;
    for (int64_t i = 0; i < space->nodes && !status; i++)
        if (then[i] != space->group[i])
            status = error_set(error, STATUS_INPUT,
                               "%s: node %lld belongs to model group %d there and to %d in this run",
                               checkpoint_path(checkpoint), (long long)i, then[i], space->group[i]);
    return status;
}

/* All variables of a resumed run; V and the states alone of one that starts. */
static bool wanted(const struct variable *variable, int k, bool whole)
{
    return whole || k == 0 || variable->group >= 0;
}

/* Everything wanted is in the checkpoint with the right number of values; what is not is listed. */
static enum status find_all(struct monodomain *sim, const struct space *space, struct checkpoint *checkpoint,
                            bool whole, struct error *error)
{
    char missing[512] = "";
    for (int k = 0; k < monodomain_variables(sim); k++) {
        const struct variable *variable = monodomain_variable(sim, k);
        if (!wanted(variable, k, whole))
            continue;
        int from = checkpoint_find(checkpoint, variable->name, variable->group);
        size_t used = strlen(missing);
        if (from >= 0 && checkpoint_array(checkpoint, from)->count == count_values(space, variable))
            continue;
        if (used + strlen(variable->name) + 3 < sizeof missing) {
            strcat(missing, used ? ", " : "");
            strcat(missing, variable->name);
        }
    }
    if (missing[0])
        return error_set(error, STATUS_INPUT, "%s: it lacks %s", checkpoint_path(checkpoint), missing);
    return STATUS_OK;
}

static enum status set_all(struct monodomain *sim, struct space *space, struct checkpoint *checkpoint,
                           bool whole, struct error *error)
{
    enum status status = same_groups(space, checkpoint, error);
    if (!status)
        status = find_all(sim, space, checkpoint, whole, error);
    for (int k = 0; k < monodomain_variables(sim) && !status; k++) {
        const struct variable *variable = monodomain_variable(sim, k);
        if (!wanted(variable, k, whole))
            continue;
        int from = checkpoint_find(checkpoint, variable->name, variable->group);
        status = checkpoint_get_double(checkpoint, from, space->packed, error);
        if (status)
            break;
        unpack(space, variable);
        status = monodomain_set(sim, k, space->value, error);
    }
    return status;
}

static enum status restore(struct monodomain *sim, int64_t nodes, struct checkpoint *checkpoint, bool whole,
                           struct error *error)
{
    struct space space;
    enum status status = make_space(&space, sim, nodes, error);
    if (status)
        return status;
    status = set_all(sim, &space, checkpoint, whole, error);
    free_space(&space);
    const struct checkpoint_head *head = checkpoint_head(checkpoint);
    if (!status)
        status = monodomain_restart(sim, whole ? head->step : 0, whole ? head->history : 0, error);
    return status;
}

enum status checkpoint_restore(struct monodomain *sim, int64_t nodes, struct checkpoint *checkpoint,
                               struct error *error)
{
    return restore(sim, nodes, checkpoint, true, error);
}

enum status checkpoint_start_from(struct monodomain *sim, int64_t nodes, struct checkpoint *checkpoint,
                                  const char *mesh_sha256, struct error *error)
{
    if (strcmp(checkpoint_head(checkpoint)->mesh_sha256, mesh_sha256))
        return error_set(error, STATUS_INPUT, "%s: a checkpoint on another mesh; it is no initial state here",
                         checkpoint_path(checkpoint));
    return restore(sim, nodes, checkpoint, false, error);
}
