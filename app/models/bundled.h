/* bundled.h: the built-in models that the build does not compile: texts that the program carries
 * (app/models/embedded.h), compiled where one is first wanted, as a user's are. */
#ifndef CARDIAC_APP_MODELS_BUNDLED_H
#define CARDIAC_APP_MODELS_BUNDLED_H

struct bundled {
    const char *name, *text; /* "grandi-2010", "grandi_2010.mmt" */
    const char *set;         /* its part of the .sets (app/models/sets.h) */
    const char *title;
    int states;
};

/* Up to a name that is NULL */
extern const struct bundled bundled_models[];

/* The one of that name, or NULL */
const struct bundled *bundled_find(const char *name);

#endif
