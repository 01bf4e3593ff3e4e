/* where_values.c: the tree at many places, a block of them at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/where/where.h"
#include "kernels/base/array.h"

bool where_in_box(const double p[3], const double low[3], const double high[3], double slack)
{
    for (int c = 0; c < 3; c++)
        if (p[c] < low[c] - slack || p[c] > high[c] + slack)
            return false;
    return true;
}

bool where_in_ball(const double p[3], const double centre[3], double radius, double slack)
{
    double dx = p[0] - centre[0], dy = p[1] - centre[1], dz = p[2] - centre[2];
    return sqrt(dx * dx + dy * dy + dz * dz) <= radius + slack;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double where_random(uint64_t seed, int64_t place)
{
    const uint64_t increment = 0x9e3779b97f4a7c15u;
    return (double)(mix(mix(seed + increment) + ((uint64_t)place + 1) * increment) >> 11) * 0x1p-53;
}

/* out[count] <- 1 in the box or ball */
static void shape_values(const struct where_step *step, const struct where_places *places, int64_t first,
                         int count, double *out)
{
    double axis[3][WHERE_BLOCK];
    for (int c = 0; c < 3; c++)
        places->values(places->data, -1 - c, first, count, axis[c]);
    for (int i = 0; i < count; i++) {
        const double p[3] = {axis[0][i], axis[1][i], axis[2][i]}, *n = step->numbers;
        out[i] = step->operation == WHERE_BOX ? where_in_box(p, n, n + 3, places->slack)
                                              : where_in_ball(p, n, n[3], places->slack);
    }
}

/* a[count] <- a and b joined; b is the later operand */
static void join(const struct where_step *step, double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++) {
        double x = a[i], y = b[i], low = step->number != 0 ? y : x, high = step->number != 0 ? x : y;
        switch (step->operation) {
        case WHERE_ADD:
            a[i] = x + y;
            break;
        case WHERE_SUBTRACT:
            a[i] = x - y;
            break;
        case WHERE_MULTIPLY:
            a[i] = x * y;
            break;
        case WHERE_DIVIDE:
            a[i] = x / y;
            break;
        case WHERE_LESS:
            a[i] = low < high;
            break;
        case WHERE_LESS_EQUAL:
            a[i] = low <= high;
            break;
        case WHERE_EQUAL:
            a[i] = x == y;
            break;
        case WHERE_NOT_EQUAL:
            a[i] = x != y;
            break;
        case WHERE_AND:
            a[i] = x != 0 && y != 0;
            break;
        default:
            a[i] = x != 0 || y != 0;
        }
    }
}

/* top <- the next held value behind step k */
static double *evaluate_step(const struct where *where, int k, const struct where_places *places,
                             int64_t first, int count, double *top)
{
    const struct where_step *step = where->step + k;
    double *last = top - WHERE_BLOCK;
    switch (step->operation) {
    case WHERE_NUMBER:
        for (int i = 0; i < count; i++)
            top[i] = step->number;
        return top + WHERE_BLOCK;
    case WHERE_COORDINATE:
    case WHERE_NAME:
    case WHERE_DISTANCE:
    case WHERE_TAG:
        places->values(places->data, k, first, count, top);
        return top + WHERE_BLOCK;
    case WHERE_BOX:
    case WHERE_BALL:
        shape_values(step, places, first, count, top);
        return top + WHERE_BLOCK;
    case WHERE_RANDOM:
        for (int i = 0; i < count; i++)
            last[i] = where_random((uint64_t)step->number, first + i) < last[i];
        return top;
    case WHERE_NEGATE:
        for (int i = 0; i < count; i++)
            last[i] = -last[i];
        return top;
    case WHERE_NOT:
        for (int i = 0; i < count; i++)
            last[i] = last[i] == 0;
        return top;
    default:
        join(step, last - WHERE_BLOCK, last, count);
        return last;
    }
}

enum status where_evaluate(const struct where *where, const struct where_places *places, int64_t first,
                           int64_t count, double *out, struct error *error)
{
    enum status status = STATUS_OK;
#pragma omp parallel
    {
        double *held = calloc((size_t)where->depth * WHERE_BLOCK, sizeof *held);
#pragma omp for schedule(static)
        for (int64_t block = 0; block < count; block += WHERE_BLOCK) {
            int some = count - block < WHERE_BLOCK ? (int)(count - block) : WHERE_BLOCK;
            double *top = held;
            for (int k = 0; held && k < where->steps; k++)
                top = evaluate_step(where, k, places, first + block, some, top);
            if (held)
                memcpy(out + block, held, (size_t)some * sizeof *out);
        }
        if (!held)
#pragma omp critical
            status = error_memory(error, "an expression", where->depth * WHERE_BLOCK * 8.0);
        free(held);
    }
    return status;
}
