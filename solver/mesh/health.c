/* health.c: the findings of mesh_check in words, and which of them are errors. */
#include "solver/mesh/check.h"

#include <stdbool.h>
#include <stdio.h>

#define COUNT(n) (long long)(n), (n) == 1 ? "" : "s"

enum status mesh_health_verdict(const struct mesh_health *h, struct error *error)
{
    if (h->out_of_range)
        return error_set(error, STATUS_INPUT, "element %lld names a node that does not exist",
                         (long long)h->range_element);
    if (h->not_finite)
        return error_set(
            error, STATUS_INPUT,
            "%lld node%s with a coordinate that is no number or farther out than 1e9 mm, the first "
            "node %lld (counted from 0); is the scale right?",
            COUNT(h->not_finite), (long long)h->not_finite_node);
    if (h->bad_fibers)
        return error_set(
            error, STATUS_INPUT,
            "%lld fibre%s with a component that is not finite, the first is number %lld (counted "
            "from 0)",
            COUNT(h->bad_fibers), (long long)h->bad_fiber);
    if (h->repeated)
        return error_set(error, STATUS_INPUT,
                         "element %lld (counted from 0) names one node twice; there are %lld such",
                         (long long)h->repeated_element, (long long)h->repeated);
    if (h->flat)
        return error_set(
            error, STATUS_INPUT,
            "%lld element%s of no length, area or volume, the first element %lld (counted from 0)",
            COUNT(h->flat), (long long)h->flat_element);
    if (h->duplicates)
        return error_set(error, STATUS_INPUT,
                         "%lld element%s given twice, the first element %lld with the nodes of element %lld "
                         "(counted from 0)",
                         COUNT(h->duplicates), (long long)h->duplicate_element, (long long)h->duplicate_of);
    if (h->loose)
        return error_set(
            error, STATUS_INPUT,
            "%lld node%s of no element, the first node %lld (counted from 0); `cardiac mesh convert "
            "--drop-loose` removes them",
            COUNT(h->loose), (long long)h->loose_node);
    return STATUS_OK;
}

int mesh_health_warning(const struct mesh_health *h, int *which, char text[256])
{
    switch ((*which)++) {
    case 0:
        if (h->turned == 0)
            return mesh_health_warning(h, which, text);
        snprintf(text, 256, "%lld tetrahedr%s had a negative volume and %s turned", (long long)h->turned,
                 h->turned == 1 ? "on" : "a", h->turned == 1 ? "was" : "were");
        return true;
    case 1:
        if (h->components < 2)
            return mesh_health_warning(h, which, text);
        snprintf(text, 256, "the mesh falls into %lld parts that no element joins", (long long)h->components);
        return true;
    case 2:
        if (h->doubles == 0)
            return mesh_health_warning(h, which, text);
        snprintf(text, 256,
                 "%lld node%s at the same place as another, the first node %lld at the place of node %lld "
                 "(counted from 0): no current flows between them",
                 COUNT(h->doubles), (long long)h->double_node, (long long)h->double_of);
        return true;
    default:
        return false;
    }
}
