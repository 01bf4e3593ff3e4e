/* niederer.h: the figures that our own Niederer runs are held to, and those of other codes. */
#ifndef CARDIAC_APP_VERIFY_NIEDERER_H
#define CARDIAC_APP_VERIFY_NIEDERER_H

enum { NIEDERER_POINTS = 9 };

/* Activation times of this program, ms; NaN where a run of that length does not reach the point. */
struct niederer_stored {
    double spacing, step, lumping; /* mm, ms, f */
    double time[NIEDERER_POINTS];
};

/* Figures of other codes at the same points, ms. */
struct niederer_other {
    const char *code;
    double spacing; /* mm */
    double time[NIEDERER_POINTS];
};

/* The stored figures of that run, or NULL. */
const struct niederer_stored *niederer_stored(double spacing, double step, double lumping);

/* The k-th code with figures at that spacing, or NULL. */
const struct niederer_other *niederer_other(double spacing, int k);

#endif
