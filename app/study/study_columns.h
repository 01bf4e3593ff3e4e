/* study_columns.h: the columns of results in the table of a study, and their values from the results of a
 * run.
 *
 * Some are there once for each region; their names end in its number where there are several. */
#ifndef CARDIAC_APP_STUDY_STUDY_COLUMNS_H
#define CARDIAC_APP_STUDY_STUDY_COLUMNS_H

#include "app/report/results.h"

enum { STUDY_COLUMN = 200 }; /* bytes of a name */

/* So many columns do runs of the config have. */
int study_columns(const struct config *config);
/* Column k's name and unit, NULL = none; unit may be NULL */
void study_columns_name(char name[STUDY_COLUMN], const char **unit, const struct config *config, int k);
/* Column k's value, NaN = none */
double study_columns_read(const struct config *config, int k, const struct results *results);
/* % of the excitable nodes */
double study_columns_activated(const struct results *results);

#endif
