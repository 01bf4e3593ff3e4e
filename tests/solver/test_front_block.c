/* test_front_block.c: blocks cut out of random graded meshes of a few elements, many of which lie apart or
 * between elements far larger: every block holds the element that it was cut around. */
#include "solver/mesh/extract.h"
#include "solver/step/front_block_positions.h"
#include "tests/support/mesh_sample.h"

/* Planes of a lattice at distances that grow from each to the next, nodes moved at random, and one element in
 * `every` of it, where the first is always one */
static struct mesh make_graded(uint64_t seed, int dimension, uint64_t every)
{
    struct error error = {0};
    struct mesh mesh, all = mesh_sample_lattice(dimension, (const int[]){3, 3, 3}, (const double[]){1, 1, 1});
    const double growth = 1 + 5 * bits_random(seed * 10000);
    uint8_t *keep = calloc((size_t)all.elements, 1);
    CHECK(keep, "no memory");
    for (int64_t i = 0; i < 3 * all.nodes; i++)
        if (i % 3 < dimension)
            all.point[i] = pow(growth, all.point[i] + 0.3 * bits_random(seed * 10000 + 1 + (uint64_t)i));
    for (int64_t e = 0; e < all.elements; e++)
        keep[e] = e == 0 || bits_random(seed * 10000 + 5000 + (uint64_t)e) * (double)every < 1;
    CHECK_OK(mesh_extract(&mesh, &all, keep, NULL, &error), error);
    free(keep);
    mesh_free(&all);
    return mesh;
}

/* Returns the number of blocks. */
static int64_t test_graded(uint64_t seed, int dimension, uint64_t every)
{
    struct error error = {0};
    struct mesh mesh = make_graded(seed, dimension, every);
    const struct region region = {.diffusion = {0.1, 0.1, 0.1}, .isotropic = 1};
    int32_t *element_region = calloc((size_t)mesh.elements, sizeof *element_region);
    const struct tensors tensors = {&mesh, &region, element_region, NULL};
    struct front_block_position position[FRONT_BLOCK_POSITIONS][3];
    uint8_t there[FRONT_BLOCK_POSITIONS][3];
    int64_t count = 0;
    CHECK(element_region, "no memory");
    CHECK_OK(front_block_positions_choose(position, there, &tensors, 0, (const double[]){1, 1, 1}, &error),
             error);
    for (int p = 0; p < FRONT_BLOCK_POSITIONS; p++)
        for (int k = 0; k < 3; k++) {
            struct front_block block;
            double centre[3], near[3];
            bool found = false;
            if (!there[p][k])
                continue;
            CHECK_OK(front_blocks_cut((struct front_block *const[]){&block}, &mesh,
                                      (const struct front_block_position *const[]){&position[p][k]}, 1,
                                      &error),
                     error);
            mesh_centre(centre, &mesh, position[p][k].element);
            for (int64_t e = 0; e < block.mesh.elements; e++) {
                mesh_centre(near, &block.mesh, e);
                found |= mesh_distance(near, centre) < 1e-9;
            }
            CHECK(found, "seed %llu: %lld elements without the block's own", (unsigned long long)seed,
                  (long long)block.mesh.elements);
            front_block_free(&block);
            count++;
        }
    free(element_region);
    mesh_free(&mesh);
    return count;
}

int main(void)
{
    int64_t blocks = 0;
    for (uint64_t seed = 0; seed < 120; seed++)
        blocks += test_graded(seed, 1 + (int)(seed % 3), 1 + seed / 3 % 5 * 3);
    printf("%lld blocks of 120 meshes\n", (long long)blocks);
    CHECK(blocks > 1000, "%lld blocks", (long long)blocks);
    return 0;
}
