/* waves.h: what activated what: the waves of a run, derived from recorded activations, and the response to
 * each pulse.
 *
 * An activation is a rise of V through the threshold at an excitable node, together with its
 * repolarization: the time at which V falls below the threshold again. Until then it is up. Activations
 * are ordered by (time, node). For two nodes, an activation of one pairs with the next activation of both
 * if that is the other node's and the first is unpaired and up at that time: one front caused both. An
 * activation that is still up from an earlier front already has its pair and causes nothing.
 *
 *   cause        the latest activation of a neighbour, earlier in time, with which it pairs; of several
 *                at one time, that of the lowest node. If there is none, neighbours are searched over one
 *                silent node (without any activation), then over two, then over three.
 *   root         an activation without a cause. Its owners are the pulses with a positive current that are on
 *                at its node, delays included; if none is, the last one that began there and those that were
 *                on when it began, unless the node has risen since.
 *   by itself    a root while no pulse is on, nearer to the time at which a cell alone would rise than to the
 *                end of the last pulse: it belongs to no pulse
 *   late         a root without any of these owners belongs to a pulse if only this site's latest pulse can
 *                reach the node (by the site's bounding box and the fastest front), the node has not risen since
 *                it began, or it is still on, and no wave of other pulses is running
 *   reflection   otherwise the cause is the latest activation of a neighbour that is up, although it has its pair
 *   unknown      otherwise
 *
 * A root joins the newest wave of one of its owners, all of which then own that wave; if the wave has
 * activated the node before, it begins another wave (a repeat, as with a sustained current). Pulses that
 * are on at a wave's roots before it has left its nodes own it, too, because their effects cannot be told
 * apart. Every other activation belongs to its cause's wave. Inside are the stimulated nodes of all
 * owners.
 *
 *   path         of an activation outside, mm: the minimum, over its cause and the last earlier activations of
 *                its wave at its neighbours, of their path + the distance to them; inside: 0
 *   step         an activation whose path exceeds that of the wave's last step by the longest edge at its
 *                node. Its slowness is time / path since the last step; the first step has none.
 *   steady       one step was no slower than the one before it. A rise spread by the stimulus current slows down
 *                at every step; a front sustained by its own cells does not.
 *   again        an activation of a node that the same wave has activated before: re-entry
 *   blocked      an edge from an activation of the wave to an excitable node without one to pair with
 *   running      at a time: the wave's last activation is no longer ago than the longest delay of one of its
 *                activations after the cause with which it pairs
 *
 * Cost: O(activations x neighbours). Activations may be added as a run proceeds, and copied, so that
 * several branches continue one forest. If nodes are no longer silent, all origins are computed anew. */
#ifndef CARDIAC_SOLVER_CELLS_WAVES_H
#define CARDIAC_SOLVER_CELLS_WAVES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/csr.h"
#include "solver/params.h"

struct waves_activation {
    double time, over;           /* ms; over: repolarization, NaN = not yet */
    int32_t node, cause, before; /* cause: index of an activation, -1 = none; before: see waves_before() */
    uint32_t wave : 30;
    uint32_t over_silent : 1; /* the cause was found over silent nodes */
};

/* The ownership of a wave by a pulse */
struct waves_owner {
    int64_t pulse;
    int32_t stimulus; /* index in the params */
    int32_t wave;
    int32_t next;    /* next owner of the wave, by the start of their pulses, -1 = none */
    int32_t earlier; /* previous owner of the same stimulus, -1 = none */
    bool repeat;     /* the pulse had activated a node of the wave before */
};

/* wave->owner of waves without owner */
enum { WAVES_UNKNOWN = -1, WAVES_ITSELF = -2 };

struct wave {
    int32_t owner; /* the first owner */
    int32_t repeat;
    double start;             /* ms, start of the first owner's pulse, without delays; without owners the
                                 time of `first` */
    int32_t first, last;      /* activations */
    int32_t left, outermost;  /* the first and the last activation outside, -1 = none */
    int32_t returned, latest; /* the first and the last repeated activation, -1 = none */
    int32_t far;              /* activation where its longest path ends, -1 = none */
    int32_t running;          /* the next wave in the list of those that may be running */
    int64_t activations, outside, again;
    int64_t followed;            /* nodes outside */
    double longest;              /* ms, the longest delay of an activation after its cause */
    double most;                 /* mm, its longest path */
    double path, time, slowness; /* mm, ms and ms/mm of its last step */
    bool steady;
    bool late;   /* `left` has no cause */
    bool listed; /* as running */
};

/* When a cell rises without any current, ms: first time, and interval after its last rise; infinite =
 * never, NaN = unknown */
struct waves_alone {
    double first, cycle;
};

/* Properties of a stimulus */
struct waves_train {
    double least;     /* nodes with at least this weight are stimulated */
    double delay;     /* ms, the longest at its nodes */
    double box[2][3]; /* mm, bounding box of the stimulated nodes */
    bool excites;     /* some of its current is positive */
};

struct waves {
    const struct csr *neighbours; /* of each node */
    const double *point;          /* [nodes * 3] mm */
    const uint8_t *excitable;     /* [nodes] whether its cells propagate fronts; NULL = all do */
    const uint8_t *up;            /* [nodes] whether V is above the threshold at the start; NULL = nowhere */
    struct waves_alone (*alone)(void *cells, int32_t node); /* NULL = no cell rises */
    void *cells;
    const struct stimulus *stimulus;
    struct waves_train *train; /* [stimuli] */
    int stimuli;
    double speed; /* mm/ms, fastest front in the tissue */
    int64_t nodes;
    double until;                        /* activations up to this time were added, ms */
    struct waves_activation *activation; /* [activations] ordered */
    int64_t activations, room;
    int32_t *latest; /* [nodes] a node's last activation, -1 = none */
    double *path;    /* [nodes] mm, of the node's last activation whose wave is known */
    uint8_t *mark;   /* [nodes] workspace, zero between calls */
    struct wave *wave;
    int64_t waves, wave_room;
    struct waves_owner *owner;
    int64_t owners, owner_room;
    int32_t *newest;    /* [stimuli] their last owner, -1 = none */
    int32_t running;    /* the first of the waves that may be running, -1 = none */
    int32_t alone_wave; /* the last wave by itself, -1 = none */
};

/* The record of a tissue: time and over[nodes * beats], ms, NaN = none, ascending per node.
 * dropped[nodes]: activations between the last two were not recorded; NULL = none anywhere */
struct waves_record {
    const double *time, *over;
    int64_t beats;
    const uint8_t *dropped;
};

/* Creates a forest without activations. Its arguments must outlive it; stimuli may be moved as long as
 * their pulses have not begun. Errors: STATUS_RUN if out of memory; free *waves even then. */
enum status waves_create(struct waves *waves, const struct csr *neighbours, const double *point,
                         const struct stimulus *stimulus, int stimuli, double speed, struct error *error);
void waves_free(struct waves *waves);

/* Adds the recorded activations after waves->until, which becomes `until`, and the repolarizations of
 * earlier ones. Errors: STATUS_RUN if out of memory or with 2^30 activations. */
enum status waves_add(struct waves *waves, const struct waves_record *record, double until,
                      struct error *error);
/* Appends to activation[] the recorded ones after waves->until, in their order, without causes and waves;
 * sets the repolarizations of earlier ones. Errors as waves_add(), which calls it. */
enum status waves_append(struct waves *waves, const struct waves_record *record, struct error *error);
/* *to <- the activations and waves of `from`, which has the same number of nodes; the stimuli of *to stay.
 * *to may be empty. Errors: STATUS_RUN if out of memory; free *to even then. */
enum status waves_copy(struct waves *to, const struct waves *from, struct error *error);
/* Replaces the stimuli; owner[] must already have their indices. Errors: STATUS_RUN if out of memory. */
enum status waves_set_stimuli(struct waves *waves, const struct stimulus *stimulus, int stimuli,
                              struct error *error);

/* The activation of the same node before a, -1 = none; *dropped (NULL = not needed) <- whether some
 * between them were not recorded */
static inline int32_t waves_before(const struct waves *waves, int32_t a, bool *dropped)
{
    int32_t before = waves->activation[a].before;
    if (dropped)
        *dropped = before < -1;
    return before < -1 ? -2 - before : before;
}

/* The previous activation of the same node by the wave, -1 = none */
int32_t waves_before_in(const struct waves *waves, int32_t a, int32_t wave);
/* Whether activation a pairs with an earlier one of the node */
bool waves_pairs(const struct waves *waves, int32_t a, int32_t node);
/* Index of the last entry of owner[] for pulse k of stimulus s, -1 = none; owner[]->earlier leads to the
 * previous ones */
int32_t waves_of_pulse(const struct waves *waves, int32_t s, int64_t k);
/* Whether pulse k of stimulus s owns the wave */
bool waves_owns(const struct waves *waves, int32_t s, int64_t k, int32_t wave);
/* Whether the node is stimulated by an owner of the wave */
bool waves_is_inside(const struct waves *waves, int32_t wave, int32_t node);
/* Whether the front of the wave was still running at `until` */
bool waves_running(const struct waves *waves, int32_t wave);
/* *cycle <- median interval, ms, between activations of a node by the wave, over those that end after
 * `since` ms; NaN = none. Errors: STATUS_RUN if out of memory. */
enum status waves_cycle(double *cycle, const struct waves *waves, int32_t wave, double since,
                        struct error *error);

/* The state of nodes just before something reached them: how many were up, and how many had rested for
 * less time than they had been up before */
struct waves_rest {
    int64_t nodes, up, early;
    double rested, rose; /* ms, for the node that became ready last: how long it had rested, negative = it
                            was up, and when it had risen, NaN = before the record; both NaN = none had
                            been activated */
};

/* The result of a pulse, the first that applies; its word, and its sentence after "stimulus S2 at 300 ms:
 * " */
#define WAVES_ENDS(X)                                                                                        \
    X(WAVES_NOT_APPLIED, "not applied", "was not applied: the run ended before")                             \
    X(WAVES_CAPTURED, "captured", "captured")                                                                \
    X(WAVES_NOT_RECORDED, "not recorded",                                                                    \
      "unknown: nodes in or next to it were activated more often than is recorded")                          \
    X(WAVES_RUN_ENDED, "run ended", "the run ended too early to tell")                                       \
    X(WAVES_FADED, "faded", "faded")                                                                         \
    X(WAVES_NOTHING, "nothing", "captured nothing")

/* Why it captured nothing */
#define WAVES_REASONS(X)                                                                                     \
    X(WAVES_NO_REASON, NULL, "")                                                                             \
    X(WAVES_WRONG_SIGN, "wrong sign", ", wrong sign: a negative current hyperpolarises")                     \
    X(WAVES_NO_CURRENT, "no current", ", no current")                                                        \
    X(WAVES_PASSIVE, "passive", ", passive")                                                                 \
    X(WAVES_NONE_FOLLOWED, "none followed", "")                                                              \
    X(WAVES_ANOTHER, "another wave", ": another wave")                                                       \
    X(WAVES_REFRACTORY, "refractory", ", refractory")                                                        \
    X(WAVES_WEAK, "too weak", ", too weak or too short")

#define WAVES_NAME(name, word, sentence) name,
enum waves_end { WAVES_ENDS(WAVES_NAME) };
enum waves_reason { WAVES_REASONS(WAVES_NAME) };
#undef WAVES_NAME

/* The response to pulse k of stimulus s, as of `until`:
 *
 *   captured     a wave of it is steady; or no edge of its waves is blocked, and nodes followed or all its
 *                excitable nodes rose; or nodes followed and a wave is running at the end
 *   run ended    the run ends during the pulse; or its nodes rose, and that is still running
 *   faded        nodes followed
 *
 * Repeated waves only count as running. */
struct waves_response {
    enum waves_end end;
    enum waves_reason reason;
    bool open;              /* captured only because a wave is running */
    int64_t own, rose;      /* excitable stimulated nodes, and those of them activated by one of its waves */
    int64_t nodes;          /* nodes outside that followed */
    double first, last;     /* ms after the pulse: first and last activation outside; NaN = none */
    double reach;           /* mm, from the end of the longest path to the stimulated node at which its chain
                               of causes began; NaN = none */
    int64_t around;         /* excitable nodes next to the stimulated ones */
    int64_t held;           /* number of these to which a blocked edge leads */
    int64_t repeats;        /* further waves, while it lasted */
    bool late;              /* its first follower has no cause */
    bool running;           /* one of its waves is running at the end */
    struct waves_rest rest; /* at its start: state of the nodes in `held` if it captured, else of its own */
    int32_t other;          /* WAVES_ANOTHER: that wave, -1 = none */
};
void waves_response(struct waves_response *response, const struct waves *waves, int32_t s, int64_t k);
/* *list[count] <- the other pulses that own its waves, by their start; the caller frees it. Errors:
 * STATUS_RUN if out of memory. */
enum status waves_together(struct waves_owner **list, int64_t *count, const struct waves *waves, int32_t s,
                           int64_t k, struct error *error);

/* Whether the edge from activation a to the node, which is excitable, is blocked */
bool waves_is_blocked(const struct waves *waves, int32_t a, int32_t node);

/* Blocked edges of a wave */
struct waves_blocked {
    struct waves_rest ahead; /* state of the nodes to which they lead, when the front arrived; one per edge */
    int64_t never;           /* edges to nodes that were never activated */
    int32_t last;            /* the last activation from which such an edge starts, -1 = none */
};
void waves_blocked_edges(struct waves_blocked *blocked, const struct waves *waves, int32_t wave);

#endif
