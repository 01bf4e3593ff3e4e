/* study.h: a config with what is made of it, for the problems that begin with one. */
#ifndef CARDIAC_APP_VERIFY_STUDY_H
#define CARDIAC_APP_VERIFY_STUDY_H

#include "app/config/config.h"
#include "app/problem/problem.h"
#include "app/verify/verify.h"
#include "solver/step/monodomain.h"

struct verify_study {
    struct config config;
    struct problem problem;
    struct monodomain *sim; /* NULL until verify_study_start */
};

/* config and problem <- of the text and of KEY=VALUE, NULL = none. *study is to be freed in any case. */
enum status verify_study_make(struct verify_study *study, const char *text, const char *set,
                              struct error *error);
/* The tissue at its start, on the queue of `verify` */
enum status verify_study_start(const struct verify *verify, struct verify_study *study, struct error *error);
void verify_study_free(struct verify_study *study);

#endif
