/* ordering.c: the reverse Cuthill-McKee order. */
#include "solver/matrix/ordering.h"

#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"

static int64_t degree(const struct csr *pattern, int64_t i)
{
    return pattern->start[i + 1] - pattern->start[i];
}

/* By degree, then by mesh number */
static int by_degree(const void *a, const void *b, void *context)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    int64_t left = degree(context, x), right = degree(context, y);
    return left != right ? (left > right) - (left < right) : (x > y) - (x < y);
}

/* Sorts the nodes appended by one node, found in ascending order: by insertion, or if there are many in
 * O(n log n) */
static void sort_by_degree(const struct csr *pattern, int32_t *node, int64_t count)
{
    if (count > 64) {
        qsort_r(node, (size_t)count, sizeof *node, by_degree, (void *)(uintptr_t)pattern);
        return;
    }
    for (int64_t k = 1; k < count; k++) {
        int32_t moved = node[k];
        int64_t at = k;
        while (at > 0 && degree(pattern, node[at - 1]) > degree(pattern, moved)) {
            node[at] = node[at - 1];
            at--;
        }
        node[at] = moved;
    }
}

/* State of a breadth-first search */
struct search {
    const struct csr *pattern;
    int32_t *seen, mark; /* [nodes] the last search that found a node */
    int32_t *claim;      /* [nodes] lowest queue index in this level of a neighbour; else NONE */
    int64_t *count;      /* [threads + 1] nodes found */
};

enum { NONE = INT32_MAX, TOGETHER = 2048 };

/* Whether the search has not yet found node j; a row without entries belongs to another rank. */
static bool is_new(const struct search *search, int32_t j)
{
    return search->seen[j] != search->mark && degree(search->pattern, j) > 0;
}

/* *claim <- min(*claim, at) */
static void claim_node(int32_t *claim, int32_t at)
{
    int32_t now = __atomic_load_n(claim, __ATOMIC_RELAXED);
    while (at < now &&
           !__atomic_compare_exchange_n(claim, &now, at, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* queue[end ...] <- the level after queue[begin ... end), by one thread; returns its end */
static int64_t next_level_set(const struct search *search, int32_t *queue, int64_t begin, int64_t end)
{
    const struct csr *pattern = search->pattern;
    int64_t count = end;
    for (int64_t at = begin; at < end; at++) {
        int64_t first = count;
        for (int64_t k = pattern->start[queue[at]]; k < pattern->start[queue[at] + 1]; k++) {
            int32_t j = pattern->column[k];
            if (is_new(search, j)) {
                search->seen[j] = search->mark;
                queue[count++] = j;
            }
        }
        sort_by_degree(pattern, queue + first, count - first);
    }
    return count;
}

/* The same in parallel: as in the serial version, a node is appended by the first of its neighbours in
 * this level. -1 = out of memory. */
static int64_t next_level_set_together(const struct search *search, int32_t *queue, int64_t begin,
                                       int64_t end)
{
    const struct csr *pattern = search->pattern;
    int64_t *ends = search->count, behind = -1;
    bool failed = false;
    ends[0] = end;
#pragma omp parallel
    {
        int64_t threads = omp_get_num_threads(), t = omp_get_thread_num(), count = 0, most = 0;
        int64_t low = begin + (end - begin) * t / threads, high = begin + (end - begin) * (t + 1) / threads;
        for (int64_t at = low; at < high; at++) {
            most += degree(pattern, queue[at]);
            for (int64_t k = pattern->start[queue[at]]; k < pattern->start[queue[at] + 1]; k++)
                if (is_new(search, pattern->column[k]))
                    claim_node(&search->claim[pattern->column[k]], (int32_t)at);
        }
        int32_t *found = malloc(((size_t)most + 1) * sizeof *found);
#pragma omp barrier
        for (int64_t at = low; at < high && found; at++) {
            int64_t first = count;
            for (int64_t k = pattern->start[queue[at]]; k < pattern->start[queue[at] + 1]; k++) {
                int32_t j = pattern->column[k];
                if (__atomic_load_n(&search->claim[j], __ATOMIC_RELAXED) != at)
                    continue;
                search->seen[j] = search->mark;
                __atomic_store_n(&search->claim[j], NONE, __ATOMIC_RELAXED);
                found[count++] = j;
            }
            sort_by_degree(pattern, found + first, count - first);
        }
        ends[t + 1] = count;
        if (!found) {
#pragma omp atomic write
            failed = true;
        }
#pragma omp barrier
#pragma omp single
        {
            for (int64_t k = 0; k < threads; k++)
                ends[k + 1] += ends[k];
            behind = failed ? -1 : ends[threads];
        }
        if (count > 0)
            memcpy(queue + ends[t], found, (size_t)count * sizeof *found);
        free(found);
    }
    return behind;
}

/* queue[] <- the breadth-first order of root's component, *last <- the first index of the last level,
 * *depth <- the number of levels. Returns the number of nodes, -1 = out of memory. */
static int64_t breadth_first(struct search *search, int32_t root, int32_t *queue, int64_t *last,
                             int64_t *depth)
{
    int64_t begin = 0, end = 1;
    bool alone = omp_get_max_threads() < 3; /* parallel search doubles the cost */
    queue[0] = root;
    search->seen[root] = ++search->mark;
    for (*depth = 0; begin < end; ++*depth) {
        int64_t next = alone || end - begin < TOGETHER ? next_level_set(search, queue, begin, end)
                                                       : next_level_set_together(search, queue, begin, end);
        *last = begin;
        begin = end;
        if (next < 0)
            return -1;
        end = next;
    }
    return end;
}

/* order[] <- the component of `root` from a pseudo-peripheral node: the root is moved to the last level as
 * long as that increases the depth. Returns the number of nodes, -1 = out of memory. */
static int64_t order_component(struct search *search, int32_t root, int32_t *order)
{
    int64_t last = 0, depth = 0, before = -1, count = 0;
    for (int trial = 0; trial < 8; trial++) {
        count = breadth_first(search, root, order, &last, &depth);
        if (count < 0 || depth <= before)
            break;
        before = depth;
        root = order[last];
        for (int64_t k = last; k < count; k++)
            if (degree(search->pattern, order[k]) < degree(search->pattern, root))
                root = order[k];
    }
    return count;
}

enum status ordering_make(const struct csr *pattern, int32_t *order, struct error *error)
{
    int64_t n = pattern->rows, done = 0, count = 0;
    enum status status = STATUS_OK;
    struct search search = {
        .pattern = pattern,
        .seen = array_zeroed(n, sizeof *search.seen, "the ordering", &status, error),
        .claim = array_new(n, sizeof *search.claim, "the ordering", &status, error),
        .count = array_new(omp_get_max_threads() + 1, sizeof *search.count, "the ordering", &status, error),
    };
    for (int64_t i = 0; i < n && !status; i++)
        search.claim[i] = NONE;
    for (int64_t i = 0; i < n && !status && count >= 0; i++)
        if (degree(pattern, (int32_t)i) == 0) {
            order[done++] = (int32_t)i; /* row of another rank */
        } else if (!search.seen[i]) {
            count = order_component(&search, (int32_t)i, order + done);
            done += count;
        }
    if (count < 0)
        status = error_memory(error, "the ordering", 4.0 * (double)n);
    for (int64_t k = 0; k < n / 2 && !status; k++) {
        int32_t kept = order[k];
        order[k] = order[n - 1 - k];
        order[n - 1 - k] = kept;
    }
    free(search.seen);
    free(search.claim);
    free(search.count);
    return status;
}
