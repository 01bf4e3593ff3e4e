/* handle.c: makes each call in the thread of its simulation. */
#include "app/api/handle.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum status handle_check_pointer(const void *pointer, const char *what, struct error *error)
{
    return pointer ? STATUS_OK : error_set(error, STATUS_INPUT, "%s is NULL", what);
}

enum status handle_check_nodes(const int64_t *node, int64_t count, int64_t nodes, struct error *error)
{
    if (count < 0)
        return error_set(error, STATUS_INPUT, "%lld nodes", (long long)count);
    if (count > 0)
        TRY(handle_check_pointer(node, "the list of nodes", error));
    for (int64_t k = 0; k < count; k++)
        if (node[k] < 0 || node[k] >= nodes)
            return error_set(error, STATUS_INPUT, "node %lld does not exist; the mesh has nodes 0 to %lld",
                             (long long)node[k], (long long)nodes - 1);
    return STATUS_OK;
}

/* Passes the new lines of the log on, one by one. */
static void report_lines(struct cardiac *sim)
{
    const char *lines = sim->setup.progress ? progress_lines(sim->setup.progress) : "";
    while (sim->line && strlen(lines) > sim->reported) {
        const char *line = lines + sim->reported;
        size_t length = strcspn(line, "\n");
        char *copy = strndup(line, length);
        sim->reported += length + (line[length] == '\n');
        if (copy)
            sim->line(sim->line_argument, copy);
        free(copy);
    }
}

int handle_call(struct cardiac *sim, enum handle_need need, writer_task *task, void *argument)
{
    enum status status;
    if (!sim)
        return STATUS_INPUT;
    if (sim->owner != getpid())
        return error_set(&sim->error, STATUS_INPUT,
                         "this simulation belongs to the process that opened it and cannot be used after "
                         "fork(): open it in the child, or start processes by spawn");
    pthread_mutex_lock(&sim->lock);
    sim->error = (struct error){0};
    if (!sim->thread)
        status = error_set(&sim->error, STATUS_INPUT, "the simulation was not opened");
    else if (need >= HANDLE_OPEN && !sim->open)
        status = error_set(&sim->error, STATUS_INPUT, "the simulation is not open: use cardiac_reopen");
    else if (need == HANDLE_SOUND && sim->failed)
        status = error_set(&sim->error, STATUS_INPUT,
                           "the last steps failed: restore a state, or reopen the simulation");
    else
        status = writer_call(sim->thread, task, argument, &sim->error);
    report_lines(sim);
    pthread_mutex_unlock(&sim->lock);
    return status == STATUS_OK || status == STATUS_INPUT ? (int)status : STATUS_RUN;
}

enum status handle_print(char **json, handle_printer *print, struct cardiac *sim, struct error *error)
{
    struct printed text;
    *json = NULL;
    TRY(printed_open(&text, error));
    enum status status = print(text.file, sim, error);
    enum status closed = printed_close(&text, status ? NULL : error);
    if (status || closed)
        free(text.text);
    else
        *json = text.text;
    return status ? status : closed;
}

struct json_call {
    struct cardiac *sim;
    char **json;
    handle_printer *print;
};

static enum status print_json(void *argument, struct error *error)
{
    const struct json_call *call = argument;
    TRY(handle_check_pointer(call->json, "the result", error));
    return handle_print(call->json, call->print, call->sim, error);
}

int handle_json(struct cardiac *sim, char **json, handle_printer *print)
{
    return handle_call(sim, HANDLE_OPEN, print_json, &(struct json_call){sim, json, print});
}
