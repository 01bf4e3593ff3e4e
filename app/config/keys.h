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
    KEY_WHERE,      /* const struct where *: a condition on positions */
    KEY_FACTOR,     /* const struct where *: a number at each position */
    KEY_SURFACES,   /* struct config_surface *, and an int at `count_offset` */
    KEY_LAPLACE,    /* struct config_laplace *, and an int at `count_offset` */
    KEY_COLUMNS,    /* struct config_column *, and an int at `count_offset` */
    KEY_FIBERS,     /* struct config_tissue: fibers and its values */
    KEY_MODEL,      /* struct config_region: model (after its text's keys) */
    KEY_PARAMETERS, /* struct config_region: parameter (after its model) */
    KEY_FACTORS,    /* factors on parameters of all regions: applied when read, never printed */
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
    size_t count_offset;       /* of lists */
    size_t size;               /* of vectors and list items */
    const char *fallback;      /* the default as a config would write it; NULL = optional; KEY_REQUIRED; or
                             KEY_SOLVER: the value of monodomain_params_default */
    const char *const *choice; /* NULL-terminated, in the enum's order */
    double low, high;          /* allowed range if low < high; +-HUGE_VAL = unbounded */
    bool above;                /* low itself is not allowed */
    bool numbers;              /* it changes the computed numbers */
    bool direction;            /* gives the previous key by direction; the reference explains these once */
    const char *meaning;
    const char *unless; /* KEY_REQUIRED: not required if this sibling key is given */
};

extern const char KEY_REQUIRED[], KEY_SOLVER[];

/* [*count] all keys; those of one group are contiguous. */
const struct key *config_keys(int *count);
/* The key of that path, or NULL */
const struct key *config_find_key(const char *path);

/* A key of an earlier version; or a former value of a key that still exists */
struct removed_key {
    const char *path, *word; /* NULL = any */
    const char *was;         /* the only value still accepted, now that of every run; NULL = none */
    const char *instead;     /* what to write now */
};

/* The entry for a word of a key, or for the key itself (word NULL); NULL = none. The list is emptied after the
 * first release that refuses its entries. */
const struct removed_key *config_removed(const char *path, const char *word);

/* The word that denotes that value of a KEY_CHOICE */
const char *config_word(const char *path, int value);

/* Whether a key's path begins with prefix and the key belongs to its struct (no further "[]" in between) */
bool config_key_in_scope(const struct key *key, const char *prefix);

#endif
