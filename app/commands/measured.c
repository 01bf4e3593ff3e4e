/* measured.c: starts python/cardiac/target.py with the names of the leads and the points of the mesh. */
#include "app/commands/measured.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/commands/script.h"
#include "app/problem/ecg.h"
#include "kernels/base/array.h"

enum { REPLY = 4096 };

/* Sends all bytes, without SIGPIPE if the reader has ended; false if that fails. */
static bool send_all(int to, const char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t sent = send(to, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        bytes += sent > 0 ? sent : 0;
        count -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

/* reply <- the script's output up to its end, truncated */
static void receive_all(int from, char reply[REPLY])
{
    char rest[REPLY];
    size_t used = 0;
    for (;;) {
        const ssize_t got = read(from, rest, sizeof rest);
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        const size_t taken = got < 0 ? 0 : (size_t)got < REPLY - 1 - used ? (size_t)got : REPLY - 1 - used;
        memcpy(reply + used, rest, taken);
        used += taken;
    }
    reply[used] = 0;
}

/* reply <- lines "key\tfault"; returns the status of the script, or STATUS_RUN */
static int ask(int count, char **words, const struct mesh *mesh, char reply[REPLY])
{
    struct error error = {0};
    pid_t child = 0;
    int pair[2], ended = 0;
    reply[0] = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return STATUS_RUN;
    const bool started = !script_start(&child, pair[1], count, words, &error);
    close(pair[1]);
    if (started) {
        if (send_all(pair[0], (const char *)mesh->point, 3 * (size_t)mesh->nodes * sizeof *mesh->point))
            shutdown(pair[0], SHUT_WR);
        receive_all(pair[0], reply);
        while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
            ;
    }
    close(pair[0]);
    return started && WIFEXITED(ended) ? WEXITSTATUS(ended) : STATUS_RUN;
}

/* Reports each line of the reply as a fault of its key. */
static enum status report(const struct config *config, char *reply, struct error *error)
{
    struct faults faults = {.error = error};
    char *rest;
    for (char *line = strtok_r(reply, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *tab = strchr(line, '\t');
        if (!tab)
            continue;
        *tab = 0;
        config_fault(&faults, config, line, "%s", tab + 1);
    }
    return faults.count > 0 ? STATUS_INPUT : STATUS_OK;
}

enum status measured_check(const struct problem *problem, const struct config *config, struct error *error)
{
    const char *leads = config->fit.leads, *activation = config->fit.activation;
    struct ecg ecg = {0};
    char reply[REPLY], end[40], every[40], lag[] = "lag", none[] = "", **words = NULL;
    enum status status = STATUS_OK;
    if (!leads && !activation)
        return STATUS_OK;
    TRY_DONE(ecg_list(&ecg, config, error));
    words = array_zeroed(ecg.columns + 8, sizeof *words, "the leads", &status, error);
    TRY_DONE(status);
    words[0] = (char[]){"check"};
    words[1] = (char *)(uintptr_t)(leads ? leads : "");
    words[2] = (char *)(uintptr_t)(activation ? activation : "");
    words[3] = end;
    words[4] = every;
    words[5] = config->fit.leads_lag == SOLVED_FITTED ? lag : none;
    words[6] = config->fit.activation_lag == SOLVED_FITTED ? lag : none;
    snprintf(end, sizeof end, "%.17g", config->end);
    snprintf(every, sizeof every, "%.17g", (double)config->ecg.every_steps * config->physics.step);
    for (int c = 0; c < ecg.columns; c++)
        words[7 + c] = ecg.name[c];
    const int ended = ask(7 + ecg.columns, words, &problem->mesh, reply);
    if (ended == STATUS_DIFFERS)
        status = report(config, reply, error);
    else if (ended != STATUS_OK)
        fputs("cardiac: warning: measured data were not read: `cardiac fit` reads them, which needs Python "
              "with "
              "numpy and h5py\n",
              stderr);
done:
    free(words);
    ecg_free(&ecg);
    return status;
}
