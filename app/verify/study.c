/* study.c: see study.h. */
#include "app/verify/study.h"

#include <string.h>

enum status verify_study_make(struct verify_study *study, const char *text, const char *set,
                              struct error *error)
{
    *study = (struct verify_study){0};
    enum status status =
        config_parse(&study->config, "verify.yaml", "", text, strlen(text), &set, set != NULL, error);
    AND(problem_create(&study->problem, &study->config, NULL, error));
    return status;
}

enum status verify_study_start(const struct verify *verify, struct verify_study *study, struct error *error)
{
    return monodomain_create(&study->sim, &study->problem.mesh, &study->problem.params, verify->queue, error);
}

void verify_study_free(struct verify_study *study)
{
    monodomain_free(study->sim);
    problem_free(&study->problem);
    config_free(&study->config);
    *study = (struct verify_study){0};
}
