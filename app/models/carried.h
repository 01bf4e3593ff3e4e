/* carried.h: the built-in models that the build does not compile: texts that the program carries
 * (app/models/embedded.h), compiled where one is first wanted, as a user's are. */
#ifndef CARDIAC_APP_MODELS_CARRIED_H
#define CARDIAC_APP_MODELS_CARRIED_H

struct carried {
    const char *name, *text; /* "grandi-2010", "grandi_2010.mmt" */
    const char *set;         /* its part of the .sets (app/models/sets.h) */
    const char *title;
    int states;
};

/* Up to a name that is NULL */
extern const struct carried carried_models[];

/* The one of that name, or NULL */
const struct carried *carried_find(const char *name);

#endif
