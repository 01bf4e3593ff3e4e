/* unit.h: units of measure as powers of SI base units times a factor. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_UNIT_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_UNIT_H

#include <stdbool.h>
#include <stddef.h>

enum { MMT_UNIT_BASES = 7 };

struct mmt_unit {
    bool given;                   /* false: the text does not state it */
    double power[MMT_UNIT_BASES]; /* of g, m, s, A, K, cd, mol */
    double factor;                /* log10 */
};

/* The unit [1] */
struct mmt_unit mmt_unit_one(void);
/* The unit with a name used in this program, such as "mV" */
struct mmt_unit mmt_unit_named(const char *name);
/* *unit <- the unit in a pair of brackets: [mV], [uA/cm^2], [1/ms], [m^2 (1.5)]; also /cm, cm2 and A m, as in
 * configs. On failure returns false and `why` describes the error at text + *at. */
bool mmt_unit_read(struct mmt_unit *unit, const char *text, int length, int *at, char *why, size_t size);
/* a b^power */
struct mmt_unit mmt_unit_times(struct mmt_unit a, struct mmt_unit b, double power);
bool mmt_unit_same(struct mmt_unit a, struct mmt_unit b);
/* Whether a and b measure the same quantity, possibly with different factors */
bool mmt_unit_comparable(struct mmt_unit a, struct mmt_unit b);
/* a in units of b; they must be comparable */
double mmt_unit_ratio(struct mmt_unit a, struct mmt_unit b);
/* text <- the unit, such as "mV"; returns text */
const char *mmt_unit_print(struct mmt_unit unit, char *text, size_t size);

#endif
