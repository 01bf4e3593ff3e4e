/* waves.h: what activated what: the waves of a run, from its recorded activations.
 *
 * An activation is a rise of V through the threshold at an excitable node, with its repolarization: when V
 * fell below the threshold again. Until then it is up. Activations are ordered by (time, node). Of two nodes,
 * an activation of one pairs with the next of both if that is the other node's and the first is unpaired and
 * up at that time: one front made both. What is still up from an earlier front has its pair and causes
 * nothing. The origin of j at t is the first of these that there is:
 *
 *   cause        the latest activation of a neighbour, earlier in time, with which it pairs; of several
 *                at one time, that of the lowest node. If there is none, neighbours are sought over one
 *                silent node (without any activation), then over two, then over three.
 *   root         of the latest pulse that stimulates j and began by t (delays included), if j has not
 *                been activated since, or if the pulse is still on
 *   late         of the pulse, if just one site's latest pulse reaches j: j has not been activated
 *                since that pulse, its distance to the site's nodes is at most speed (t - start), and
 *                no activation at the edge of another wave, later than j's repolarization and up at t,
 *                reaches j in the same sense. An edge: a neighbour has not followed by t, and it did not
 *                come from there. speed: of the fastest front that the tissue carries
 *   reflection   the cause is the latest activation of a neighbour that is up at t, though it has its
 *                pair
 *   unknown
 *
 * A wave is what descends from one pulse: its roots, its late responses, and all that they cause. From each
 * activation of unknown cause descends a wave of its own. If a pulse lasts so long that a node is a root of
 * it for the (n + 1)-th time, that is another wave (its `repeat` n).
 *
 *   near         in the stimulated nodes, before the wave left them; or outside, caused by one of these
 *   spread       a wave has activations outside the stimulated nodes, and one that is not near is up after
 *                all those that are, for longer than the wave's longest delay from node to node; or no edge
 *                of it is blocked. Nodes that are only lifted rise after those that lift them and fall
 *                before them. It is open whether it will while it is running, or some of both are up.
 *   captured     a wave of the pulse has spread, or that is open at the end of the record
 *   followed     of the excitable nodes next to the stimulated ones: activated by a wave of the pulse while a
 *                stimulated neighbour, which a wave of the pulse had activated before, is up
 *   again        an activation of a node that the same wave has activated before: re-entry
 *   blocked      an edge from an activation of the wave to an excitable node without one to pair with
 *   running      at the end of the record: the wave's last activation is no longer ago than the longest delay
 *                of one of its activations after the cause with which it pairs
 *
 * Cost: O(activations x neighbours). Activations may be added as a run goes on, and copied, so that several
 * branches continue one forest. Where nodes are no longer silent, all origins are found anew. */
#ifndef CARDIAC_SOLVER_CELLS_WAVES_H
#define CARDIAC_SOLVER_CELLS_WAVES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/csr.h"
#include "solver/params.h"

struct waves_activation {
    double time, over;           /* ms; over NaN = not repolarized yet */
    int32_t node, cause, before; /* cause: its activation, -1 = none; before: waves_before() */
    uint32_t wave : 30;
    uint32_t over_silent : 1; /* nodes: the cause */
    uint32_t within : 1;      /* the stimulated nodes, which the wave has not left before */
};

struct wave {
    int32_t stimulus; /* of the params; -1 = unknown cause */
    int32_t repeat;
    int64_t pulse;
    double start; /* ms of the pulse, without delays; of unknown cause: the first activation */
    bool late;    /* it began as a late response */
    int32_t first;
    int32_t earlier; /* the wave of the same stimulus before it, -1 = none */
    /* From waves_measure() on: */
    int32_t last;
    int32_t left;     /* its first activation outside the stimulated nodes, -1 = none */
    int32_t returned; /* its first activation again of a node, -1 = none */
    int64_t activations, outside, again;
    int32_t latest;      /* the last one again, -1 = none */
    double longest;      /* ms, the longest delay of an activation after its cause */
    double near, beyond; /* ms when the last one near was over, and the last other one; infinite = it is up,
                            -infinite = there is none */
    bool spread;
    bool open; /* it has not, but may */
};

struct waves {
    const struct csr *neighbours; /* of each node */
    const double *point;          /* [nodes * 3] mm */
    const uint8_t *excitable;     /* [nodes] whether cells there carry fronts; NULL = all do */
    const struct stimulus *stimulus;
    double *least; /* [stimuli] the weight from which on a node is stimulated */
    int stimuli;
    double speed; /* mm/ms */
    int64_t nodes;
    double until;                        /* ms up to which activations were added */
    struct waves_activation *activation; /* [activations] in their order */
    int64_t activations, room;
    int32_t *latest; /* [nodes] a node's last activation, -1 = none */
    struct wave *wave;
    int64_t waves, wave_room;
    int32_t *newest; /* [stimuli] its last wave, -1 = none */
};

/* What a tissue has recorded: time and over[nodes * beats] ms, NaN = none, ascending in a node.
 * dropped[nodes]: activations between the last two were not recorded; NULL = none anywhere */
struct waves_record {
    const double *time, *over;
    int64_t beats;
    const uint8_t *dropped;
};

/* No activation. What it points at must outlive it; stimuli may be moved as long as their pulses have not
 * begun. Errors: STATUS_RUN without memory; free *waves in any case. */
enum status waves_create(struct waves *waves, const struct csr *neighbours, const double *point,
                         const struct stimulus *stimulus, int stimuli, double speed, struct error *error);
void waves_free(struct waves *waves);

/* Add the recorded activations after waves->until, which becomes `until`; and the repolarizations of earlier
 * ones. Errors: STATUS_RUN without memory or with 2^30 activations. */
enum status waves_add(struct waves *waves, const struct waves_record *record, double until,
                      struct error *error);
/* The activations and waves of `to` <- those of `from`, of as many nodes; its stimuli stay. *to may be empty.
 * Errors: STATUS_RUN without memory; *to is to be freed in any case. */
enum status waves_copy(struct waves *to, const struct waves *from, struct error *error);
/* Other stimuli: wave[] already has their numbers. Errors: STATUS_RUN without memory. */
enum status waves_set_stimuli(struct waves *waves, const struct stimulus *stimulus, int stimuli,
                              struct error *error);

/* The activation of the same node before a, -1 = none; *dropped (NULL = not asked for) <- whether some
 * between them were not recorded */
static inline int32_t waves_before(const struct waves *waves, int32_t a, bool *dropped)
{
    int32_t before = waves->activation[a].before;
    if (dropped)
        *dropped = before < -1;
    return before < -1 ? -2 - before : before;
}

/* ms: since when a's node had rested when a began; -infinite = it had not been activated */
double waves_rested(const struct waves *waves, int32_t a);
/* Whether activation a pairs with an earlier one of that node */
bool waves_pairs(const struct waves *waves, int32_t a, int32_t node);
/* Whether stimulus s of the params stimulates the node */
bool waves_stimulates(const struct waves *waves, int32_t s, int32_t node);
/* The number of the last wave of pulse k of stimulus s, -1 = none; wave[]->earlier leads to those before */
int32_t waves_of_pulse(const struct waves *waves, int32_t s, int64_t k);

/* wave[] <- its summary, at `until` */
void waves_measure(struct waves *waves);
/* After that: whether the front of the wave was still running at `until` */
bool waves_running(const struct waves *waves, int32_t wave);
/* *cycle <- the median interval, ms, between activations of a node by the wave, of those that end after
 * `since` ms; NaN = none. Errors: STATUS_RUN without memory. */
enum status waves_cycle(double *cycle, const struct waves *waves, int32_t wave, double since,
                        struct error *error);

/* Nodes before something came to them: how many were up, and how many had rested less long than they had been
 * up before */
struct waves_rest {
    int64_t nodes, up, early;
    double rested, rose; /* ms that the one ready last had rested, negative = it was up, and when it had
                            risen; NaN = none had been activated */
};

/* What pulse k of stimulus s evoked, by waves_measure() */
struct waves_response {
    int64_t rose;             /* stimulated nodes that a wave of it activated */
    struct waves_rest own;    /* excitable stimulated nodes, when it began */
    struct waves_rest ahead;  /* those around that did not follow, when it began */
    int32_t other;            /* another wave that activated stimulated nodes while it was on, -1 = none */
    int64_t around, followed; /* excitable nodes next to them, and how many followed */
    int32_t left; /* the first activation outside by a wave that has spread, or may; -1 = not captured */
    double delay; /* ms from the pulse to that one; NaN = not captured */
    bool dropped; /* activations that would have shown it may not have been recorded */
};
/* Errors: STATUS_RUN without memory. */
enum status waves_response(struct waves_response *response, const struct waves *waves, int32_t s, int64_t k,
                           struct error *error);

/* Whether the edge from activation a to the node, which is excitable, is blocked */
bool waves_is_blocked(const struct waves *waves, int32_t a, int32_t node);

/* Blocked edges of a wave */
struct waves_blocked {
    struct waves_rest ahead; /* the nodes to which they lead, when the front came; one for each edge */
    int64_t never;           /* edges to nodes that were never activated */
    int32_t last;            /* the last activation that an edge begins at, -1 = none */
};
void waves_blocked_edges(struct waves_blocked *blocked, const struct waves *waves, int32_t wave);

#endif
