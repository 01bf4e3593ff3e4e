/* model_names.h: names of ionic models in papers and other programs. */
#ifndef CARDIAC_APP_CONFIG_MODEL_NAMES_H
#define CARDIAC_APP_CONFIG_MODEL_NAMES_H

/* Our name of a model that is called `name` elsewhere: "tp06-epi" for TenTusscher2006; case, blanks and punctuation
 * are ignored. NULL = unknown; for a published model that we lack, *lacking <- its cell type and our nearest ones. */
const char *model_names_find(const char *name, const char **lacking);

#endif
