/* test_clones.c: whatever a CPU of this build can run, the bench can measure: each table of backends.c has one
 * of the bench, for which each format has its loops. */
#include "kernels/bench/bench.h"
#include "tests/support/check.h"

int main(void)
{
    size_t count = 0;
    for (; backend_cpu(count); count++) {
        const struct bench_device *device = bench_device(backend_cpu(count));
        CHECK(device, "the bench cannot measure %s", backend_cpu(count)->name);
        CHECK(device->ablation && device->stream && device->gemm, "%s has no loops", device->name);
        for (int k = 0; format_list[k]; k++)
            CHECK(format_list[k]->run[device->code], "format %d has no loop for %s", k, device->name);
        for (size_t other = 0; other < count; other++)
            CHECK(device->code != bench_device(backend_cpu(other))->code, "%s runs the loops of %s",
                  device->name, backend_cpu(other)->name);
    }
    CHECK(count > 0, "no table");
    printf("%zu tables\n", count);
    return 0;
}
