/* study_request.h: what is requested of a study, and when it is to stop. */
#ifndef CARDIAC_APP_STUDY_STUDY_REQUEST_H
#define CARDIAC_APP_STUDY_STUDY_REQUEST_H

#include <stdbool.h>

#include "app/config/config.h"

struct study_request {
    const char *config, *directory; /* directory: NULL = the config's output.directory */
    const char *const *set;         /* [sets] of --set, for all runs */
    int sets;
    const struct config_option *option; /* [options] */
    int options;
    int part, parts; /* part 1 .. parts of the runs or sites; parts 0 = all */
    bool results;    /* also files for each run */
    bool maps;       /* and those of all in one */
    bool overwrite, quiet, json;
    double began, stop_after; /* seconds */
};

/* How the study is to end before its next steps: by a signal or by stop_after; STATUS_OK = not */
enum status study_stop(const struct study_request *request);
/* *directory <- that of its files, to be freed. Errors: STATUS_RUN without memory. */
enum status study_directory(char **directory, const struct study_request *request,
                            const struct config *config, struct error *error);

enum { STUDY_ID = 13 };
/* id <- 12 digits of the digest of the keys that `part` depends on. Errors: STATUS_RUN without memory. */
enum status study_id(char id[STUDY_ID], const struct config *config, enum config_part part,
                     struct error *error);

#endif
