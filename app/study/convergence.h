/* convergence.h: the numerical error of a config: how its results change with the mesh, the step, the
 * tolerance and the precision.
 *
 * With two levels the change is a difference. With three, f1, f2 and f3 at edges or steps h, h/2 and h/4, and
 * d1 = f2 - f1, d2 = f3 - f2, the observed order is log2(d1/d2). Where d1/d2 > 0 and it is within 30 % of
 * the expected order, p is the smaller one of both, the limit is f3 + d2/(2^p - 1), and its bar the grid
 * convergence index with a safety factor of 1.25, 1.25 |d2| / (2^p - 1) (Roache, J. Fluids Eng. 116:405,
 * 1994; Oberkampf and Roy, Verification and Validation in Scientific Computing, 2010, section 8.4: never an
 * order beyond the formal one). */
#ifndef CARDIAC_APP_STUDY_CONVERGENCE_H
#define CARDIAC_APP_STUDY_CONVERGENCE_H

#include <stdio.h>

#include "app/study/refinement.h"
#include "app/util/csv.h"

/* A sequence of levels of one quantity */
struct convergence_sequence {
    double first, second; /* d1 and d2; NaN = not compared */
    double order, expected;
    bool asymptotic;
    double rest, bar; /* from the finest level to the limit; of the limit */
};
/* Of d1 and d2; second NaN = two levels */
struct convergence_sequence convergence_judge(double first, double second, double expected);

/* A number of each run, in the order of the table of results */
struct convergence_quantity {
    char name[200], unit[20];
    double value[REFINEMENT_RUNS]; /* NaN = none */
    bool event;                    /* a count of what happened: compared, but no error is estimated */
    struct convergence_sequence of[REFINEMENT_KINDS];
};

/* A map at the nodes of the config's mesh, once refined */
struct convergence_map {
    char name[64], unit[32];
    struct {
        int64_t compared, left_out;  /* values; left out: of a later time than a front's break */
        double median, p95, largest; /* |difference|; p95: 95 % are not larger */
    } of[REFINEMENT_KINDS];
};

struct convergence_break {
    double time; /* ms; infinite = none */
    double place[3];
};

struct convergence {
    struct study_request request;
    struct config base;
    struct refinement plan;
    const char **set; /* [sets] of the request and those of this study */
    char *directory;
    char *text[3]; /* of set[] */
    struct csv given, table;
    char *table_path;
    int64_t row[REFINEMENT_RUNS];                     /* of table; -1 = none, or it failed */
    struct convergence_break broken[REFINEMENT_RUNS]; /* in it, or in the run that it is compared with */
    struct convergence_quantity *quantity;            /* [quantities] */
    int quantities;
    struct convergence_map *map; /* [maps] */
    int maps;
};

/* Reads the config and plans the runs. Errors: STATUS_INPUT. Free *convergence in any case; what the request
 * points at must outlive it. */
enum status convergence_open(struct convergence *convergence, const struct study_request *request, int levels,
                             bool mesh, struct error *error);
void convergence_free(struct convergence *convergence);

/* Forecasts the cost; STATUS_INPUT where the memory is not there */
enum status convergence_describe(struct convergence *convergence, FILE *file, struct error *error);
/* Makes all runs that are not there, and compares them. Errors as study_make's. */
enum status convergence_make(struct convergence *convergence, struct error *error);

/* Whether a front of that run was still running at the end, so that its last activation is only that of the
 * end */
bool convergence_is_cut(const struct convergence *convergence, int run);
/* The quantity of that name of the first beat, if it is of the last one, and the other way round; NULL = none
 */
const struct convergence_quantity *convergence_other_beat(const struct convergence *convergence,
                                                          const char *name);
/* The run with which a run is compared, of which it is a refinement */
int convergence_reference(const struct convergence *convergence, int run);

/* In words */
void convergence_report(const struct convergence *convergence, FILE *file);
/* As a line of JSON */
void convergence_report_json(const struct convergence *convergence, FILE *file);

#endif
