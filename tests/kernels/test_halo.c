/* test_halo.c: the CPU sends the rows of the border and reads the ghosts, also in fp32, and writes nothing behind them. */
#include "kernels/ops/halo.h"
#include "tests/support/case.h"

enum { OWN = 9, SENT = 5, GHOSTS = 4, BEHIND = 16 };

static const double guard = 12345.678;

/* What is sent comes back as ghosts, doubled; the fifth value is not received */
static void echo(const struct comm *comm, const struct comm_link *link, int links, const double *out,
                 double *in)
{
    CHECK(comm->rank == 1 && links == 1 && link->sent == SENT && link->received == GHOSTS, "another link");
    for (int k = 0; k < GHOSTS; k++)
        in[k] = 2 * out[k];
}

/* A value that fp32 holds */
static float begun(int i)
{
    return (float)(0.1 * i - 1);
}

static void test_ghosts(bool single)
{
    static int32_t row[SENT + BEHIND] = {7, 0, 3, 3, 8};
    double x[OWN + GHOSTS + BEHIND], out[SENT + BEHIND], seconds = 0;
    float x32[OWN + GHOSTS + BEHIND];
    struct comm_link link = {0, SENT, GHOSTS};
    const struct comm_engine engine = {.exchange = echo};
    const struct comm comm = {.rank = 1, .size = 2, .engine = &engine};
    const struct halo halo = {.comm = &comm,
                              .rows = OWN,
                              .ghosts = GHOSTS,
                              .links = 1,
                              .link = &link,
                              .border = SENT,
                              .row = row,
                              .out = out,
                              .seconds = &seconds};
    for (int i = 0; i < OWN + GHOSTS + BEHIND; i++) {
        x32[i] = begun(i);
        x[i] = i < OWN + GHOSTS ? begun(i) : guard; /* which fp32 would show */
    }
    for (int k = 0; k < SENT + BEHIND; k++)
        out[k] = guard;
    halo_exchange_cpu(NULL, &halo, x, single ? x32 : NULL);
    for (int i = 0; i < OWN + GHOSTS + BEHIND; i++) {
        const bool ghost = i >= OWN && i < OWN + GHOSTS;
        const float want = ghost ? 2 * begun(row[i - OWN]) : begun(i);
        CHECK(x[i] == (i < OWN + GHOSTS ? want : guard) && x32[i] == (single ? want : begun(i)),
              "value %d: %.17g and %.9g, want %.9g", i, x[i], (double)x32[i], (double)want);
    }
    for (int k = 0; k < SENT + BEHIND; k++)
        CHECK(out[k] == (k < SENT ? x[row[k]] : guard), "sent value %d is %g", k, out[k]);
    CHECK(seconds >= 0 && halo_ghosts(&halo) == GHOSTS && halo_ghosts(NULL) == 0, "%g s", seconds);
}

int main(void)
{
    test_ghosts(false);
    test_ghosts(true);
    return 0;
}
