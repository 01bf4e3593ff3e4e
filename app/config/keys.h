/* keys.h: the table of all config keys.
 *
 * A path names a key from the top; "[]" stands for the items of a list, and the offset of a key below it
 * counts from the item's struct (config_region, config_stimulus), else from struct config. */
#ifndef CARDIAC_APP_CONFIG_KEYS_H
#define CARDIAC_APP_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "app/config/units.h"

enum key_type {
    KEY_NUMBER,     /* double, with a quantity */
    KEY_VECTOR,     /* double[size], with a quantity */
    KEY_INT,        /* int */
    KEY_INT64,      /* int64_t */
    KEY_CHOICE,     /* an enum, one of `choice` */
    KEY_BOOL,       /* bool: off | on, or the two words of `choice` */
    KEY_TEXT,       /* const char * */
    KEY_PATH,       /* const char *, made relative to the config */
    KEY_DEVICE,     /* const char *: auto | cpu | cuda | cuda:N */
    KEY_NAMES,      /* const char **, and an int at `count_offset` */
    KEY_TAGS,       /* struct tag_list */
    KEY_WHERE,      /* const struct where *: a condition on places */
    KEY_FACTOR,     /* the same, a number at each place */
    KEY_SURFACES,   /* struct config_surface *, and an int at `count_offset` */
    KEY_LAPLACE,    /* struct config_laplace *, and an int at `count_offset` */
    KEY_COLUMNS,    /* struct config_column *, and an int at `count_offset` */
    KEY_FIBERS,     /* struct config_tissue: fibers and its values */
    KEY_MODEL,      /* struct config_region: model (after its text's keys) */
    KEY_PARAMETERS, /* struct config_region: parameter (after its model) */
    KEY_FACTORS,    /* of all regions' parameters: applied to them, and not written */
    KEY_INITIAL,    /* struct config_region: initial, pace (after its parameters) */
    KEY_CURRENT,    /* struct config_stimulus: current, current_kind */
    KEY_PROBES,     /* struct config_probe *, and an int at `count_offset` */
    KEY_SITES,      /* struct config_induction: site and sites, or segments */
    KEY_BOUNDS,     /* struct config_parameter *, and an int at `count_offset` */
    KEY_STOP,       /* struct config_stop */
    KEY_LIST        /* items of `size` bytes, and an int at `count_offset`; their keys follow as "path[]." */
};

struct key {
    const char *path;
    enum key_type type;
    enum quantity quantity;
    size_t offset;
    size_t count_offset;  /* of lists */
    size_t size;          /* of vectors and list items */
    const char *fallback; /* the default as a config would write it, NULL = may be left out, KEY_REQUIRED, or
                             KEY_SOLVER: what monodomain_params_default says */
    const char *const *choice; /* NULL-terminated, in the enum's order */
    double low, high;          /* allowed range when low < high; a bound of +-HUGE_VAL is none */
    bool above;                /* low itself is not allowed */
    bool numbers;              /* it changes the numbers of a run */
    bool direction;            /* it gives the key before it by direction, and is explained once for all */
    const char *meaning;
    const char *unless; /* KEY_REQUIRED: unless that one is given beside it */
};

extern const char KEY_REQUIRED[], KEY_SOLVER[];

/* [*count] all keys, those of one group side by side. */
const struct key *config_keys(int *count);
/* The key of that path, or NULL */
const struct key *config_find_key(const char *path);

/* A key of earlier versions, or one of its words, which is accepted if the key is in the list as well */
struct removed_key {
    const char *path, *word; /* NULL = any */
    const char *was;         /* the value that every run has now, still accepted; NULL = no value is */
    const char *instead;     /* what to write now */
};

/* word NULL = the key itself. NULL = not in the list, which is emptied after the first release that refuses
 * them */
const struct removed_key *config_removed(const char *path, const char *word);

/* The word for that value of a choice */
const char *config_word(const char *path, int value);

/* Keys whose path begins with prefix and that belong to its struct (no further "[]" in between). */
bool config_key_in_scope(const struct key *key, const char *prefix);

#endif
