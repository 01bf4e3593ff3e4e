/* pick.c: elements of an array, and the largest V, on the CPU. */
#include "kernels/ops/pick.h"

void pick_cpu(struct queue *queue, const struct pick *pick)
{
    (void)queue;
    for (int64_t k = 0; k < pick->count; k++)
        pick->value[k] = pick_element(pick->array, pick->size, pick->element[k]);
}

void pick_largest_cpu(struct queue *queue, const struct pick_largest *pick)
{
    uint64_t most = 0, node = 0;
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static) reduction(max : most)
    for (int64_t r = 0; r < pick->rows; r++) {
        const uint64_t bits = pick_of_row(pick, r);
        most = bits > most ? bits : most;
    }
#pragma omp parallel for num_threads(cpu_threads(queue)) schedule(static) reduction(max : node)
    for (int64_t r = 0; r < pick->rows; r++) {
        const uint64_t of_row = pick_node_of_row(pick, r, most);
        node = of_row > node ? of_row : node;
    }
    pick->largest[0] = most;
    pick->largest[1] = node;
}
