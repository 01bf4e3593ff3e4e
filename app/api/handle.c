/* handle.c: execute each call in the thread of its simulation. */
#include "app/api/handle.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/util/text_media.h"

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

enum status handle_check_owner(struct cardiac *sim)
{
    if (!sim)
        return STATUS_INPUT;
    return sim->owner == getpid()
               ? STATUS_OK
               : error_set(&sim->error, STATUS_INPUT,
                           "this simulation belongs to the process that opened it and cannot be used after "
                           "fork(): open it in the child, or start processes by spawn");
}

void handle_escape_error(struct cardiac *sim)
{
    struct printed text;
    if (printed_open(&text, NULL))
        return;
    text_media_put(text.file, TEXT_TERMINAL, sim->error.text);
    if (printed_close(&text, NULL))
        return;
    error_set(&sim->error, sim->error.status, "%s", text.text);
    free(text.text);
}

struct call {
    struct cardiac *sim;
    writer_task *task;
    void *argument;
};

static enum status do_call(void *argument, struct error *error)
{
    const struct call *call = argument;
    return call->task(call->argument, error);
}

static void report_lines(void *argument)
{
    const struct call *call = argument;
    handle_log_report(&call->sim->log);
}

int handle_call(struct cardiac *sim, enum handle_need need, writer_task *task, void *argument)
{
    struct call call = {sim, task, argument};
    struct error error = {0};
    enum status status = handle_check_owner(sim);
    if (status)
        return (int)status;
    pthread_mutex_lock(&sim->lock);
    __atomic_store_n(&sim->stop, 0, __ATOMIC_RELAXED);
    if (!sim->thread)
        status = error_set(&error, STATUS_INPUT, "the simulation was not opened");
    else if (need >= HANDLE_OPEN && !sim->open)
        status = error_set(&error, STATUS_INPUT, "the simulation is not open: use cardiac_reopen");
    else if (need == HANDLE_SOUND && sim->failed)
        status = error_set(&error, STATUS_INPUT,
                           "the last steps failed: restore a state, or reopen the simulation");
    else
        status = writer_call_looking(sim->thread, do_call, &call, report_lines, &error);
    if (status) {
        sim->error = error;
        handle_escape_error(sim);
    }
    handle_log_report(&sim->log);
    pthread_mutex_unlock(&sim->lock);
    return status == STATUS_OK || status == STATUS_INPUT ? (int)status : STATUS_RUN;
}

int cardiac_stop(struct cardiac *sim)
{
    if (!sim || sim->owner != getpid())
        return STATUS_INPUT;
    __atomic_store_n(&sim->stop, 1, __ATOMIC_RELAXED);
    return STATUS_OK;
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
