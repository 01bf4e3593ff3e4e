/* model_names.h: what papers and other programs call ionic models. */
#ifndef CARDIAC_APP_CONFIG_MODEL_NAMES_H
#define CARDIAC_APP_CONFIG_MODEL_NAMES_H

/* The model here of that name elsewhere, whatever its case, blanks and signs: "tp06-epi" for TenTusscher2006; NULL =
 * unknown. Of a published model that does not exist here NULL, and *lacking <- of which cell it is, and which models here
 * are nearest. */
const char *model_names_find(const char *name, const char **lacking);

#endif
