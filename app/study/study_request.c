/* study_request.c: the directory of a study, the digests of its configs, and whether it is to stop. */
#include "app/study/study_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/run/stop.h"
#include "kernels/base/clock.h"
#include "kernels/base/sha256.h"

enum status study_stop(const struct study_request *request)
{
    if (stop_signal())
        return STATUS_INTERRUPTED + (unsigned)stop_signal();
    return clock_seconds() - request->began > request->stop_after ? STATUS_STOPPED : STATUS_OK;
}

enum status study_directory(char **directory, const struct study_request *request,
                            const struct config *config, struct error *error)
{
    const char *given = request->directory ? request->directory : config->output.directory;
    *directory = strdup(given ? given : "out");
    return *directory ? STATUS_OK : error_memory(error, "a path", 1);
}

enum status study_id(char id[STUDY_ID], const struct config *config, enum config_part part,
                     struct error *error)
{
    char hex[SHA256_HEX], *text = config_part_text(config, part);
    if (!text)
        return error_memory(error, "the config's text", 4096);
    sha256_of(text, strlen(text), hex);
    snprintf(id, STUDY_ID, "%.12s", hex);
    free(text);
    return STATUS_OK;
}
