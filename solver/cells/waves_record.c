/* waves_record.c: the new activations of a record, radix-sorted by time in parallel and appended. */
#include "solver/cells/waves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/bits.h"

static const char what[] = "the waves";

enum { DIGIT = 11, DIGITS = 6 }; /* bits per pass, and passes, of a radix sort */

/* A new activation: its time and its index in the record */
struct fresh {
    double time;
    int64_t index;
};

enum { MOST_PARTS = 16, KEYS = 1 << DIGIT };

/* The number of parts, one per thread, into which work on `count` activations is divided */
static int count_parts(int64_t count)
{
    const int64_t least = 1 << 13;
    return count / least < 1 ? 1 : count / least < MOST_PARTS ? (int)(count / least) : MOST_PARTS;
}

static int digit_of(const struct fresh *fresh, int digit)
{
    return (int)(bits_of(fresh->time) >> (digit * DIGIT) & (KEYS - 1));
}

/* to[count] <- from[count] sorted by one digit; equal ones keep their order, because each part's items
 * follow those of the parts before it in each key. first: workspace [parts][KEYS] */
static void sort_digit(struct fresh *to, const struct fresh *from, int64_t count, int digit,
                       int64_t (*first)[KEYS])
{
    const int parts = count_parts(count);
    int64_t sum = 0;
#pragma omp parallel for schedule(static) if (parts > 1)
    for (int p = 0; p < parts; p++) {
        memset(first[p], 0, sizeof first[p]);
        for (int64_t k = count * p / parts; k < count * (p + 1) / parts; k++)
            first[p][digit_of(&from[k], digit)]++;
    }
    for (int d = 0; d < KEYS; d++)
        for (int p = 0; p < parts; p++) {
            const int64_t own = first[p][d];
            first[p][d] = sum;
            sum += own;
        }
#pragma omp parallel for schedule(static) if (parts > 1)
    for (int p = 0; p < parts; p++)
        for (int64_t k = count * p / parts; k < count * (p + 1) / parts; k++)
            to[first[p][digit_of(&from[k], digit)]++] = from[k];
}

/* Sorts fresh[count] by time; equal ones keep their order. scratch: workspace of the same size */
static enum status sort_fresh(struct fresh *fresh, struct fresh *scratch, int64_t count, struct error *error)
{
    enum status status = STATUS_OK;
    int64_t(*first)[KEYS] = array_new(count_parts(count), sizeof *first, what, &status, error);
    struct fresh *from = fresh, *to = scratch;
    for (int digit = 0; digit < DIGITS && first; digit++) { /* an even number of passes ends in fresh */
        sort_digit(to, from, count, digit, first);
        struct fresh *other = from;
        from = to;
        to = other;
    }
    free(first);
    return status;
}

/* fresh[count] <- the new activations in the order of nodes; sets the repolarization of earlier ones.
 * Returns count; if fresh is NULL it only counts. */
static int64_t list_fresh(struct fresh *fresh, struct waves *waves, const struct waves_record *record)
{
    int64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count) if (!fresh)
    for (int64_t i = 0; i < waves->nodes; i++) {
        int32_t latest = waves->latest[i];
        for (int64_t b = 0; b < record->beats && (!waves->excitable || waves->excitable[i]); b++) {
            double time = record->time[i * record->beats + b];
            if (isnan(time))
                continue;
            if (latest >= 0 && time == waves->activation[latest].time)
                waves->activation[latest].over = record->over[i * record->beats + b];
            if (time > waves->until && fresh)
                fresh[count] = (struct fresh){time + 0.0, i * record->beats + b}; /* turns -0 into +0 */
            count += time > waves->until;
        }
    }
    return count;
}

/* Appends the new activations to activation[], linked with the earlier ones of their nodes */
static void append_fresh(struct waves *waves, const struct waves_record *record, const struct fresh *fresh,
                         int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        int32_t node = (int32_t)(fresh[k].index / record->beats), a = (int32_t)waves->activations;
        int64_t beat = fresh[k].index % record->beats;
        int32_t before = waves->latest[node];
        bool dropped = record->dropped && record->dropped[node] && beat == record->beats - 1;
        waves->activation[waves->activations++] =
            (struct waves_activation){fresh[k].time,
                                      record->over[fresh[k].index],
                                      node,
                                      -1,
                                      dropped && before >= 0 ? -2 - before : before,
                                      0,
                                      0};
        waves->latest[node] = a;
    }
}

static enum status make_room(struct waves *waves, int64_t count, struct error *error)
{
    const int most = INT32_MAX >> 1;
    if (count > most)
        return error_set(error, STATUS_RUN, "%lld activations: at most %d are supported", (long long)count,
                         most);
    return array_grow((void **)&waves->activation, &waves->room, count, sizeof *waves->activation, what,
                      error);
}

enum status waves_append(struct waves *waves, const struct waves_record *record, struct error *error)
{
    enum status status = STATUS_OK;
    const int64_t count = list_fresh(NULL, waves, record);
    struct fresh *fresh = array_new(count, sizeof *fresh, what, &status, error);
    struct fresh *scratch = array_new(count, sizeof *scratch, what, &status, error);
    TRY_DONE(status);
    TRY_DONE(make_room(waves, waves->activations + count, error));
    list_fresh(fresh, waves, record);
    TRY_DONE(sort_fresh(fresh, scratch, count, error));
    append_fresh(waves, record, fresh, count);
done:
    free(fresh);
    free(scratch);
    return status;
}
