/* info_devices.c: every GPU as a table; what the device does not tell is left blank. */
#include <stdio.h>

#include "app/commands/info.h"
#include "kernels/device/cuda_device.h"

/* name, then value with as many decimals as given, or nothing where it is 0 */
static void print_value(const char *name, double value, int decimals, const char *unit)
{
    if (value > 0)
        printf("  %-28s %.*f%s\n", name, decimals, value, unit);
    else
        printf("  %s\n", name);
}

static void print_device(const struct cuda_device *d, int k)
{
    printf("cuda:%d        %s\n", k, d->name);
    printf("  %-28s %d.%d\n", "compute capability", d->major, d->minor);
    print_value("warp size", d->warp, 0, " threads");
    print_value("warps / SM, at most", d->warp ? d->threads / d->warp : 0, 0, "");
    print_value("blocks / SM, at most", d->blocks, 0, "");
    print_value("block size, at most", d->block_threads, 0, " threads");
    print_value("SMs", d->multiprocessors, 0, "");
    print_value("TPCs", 0, 0, "");
    print_value("FP32 units / SM", d->units32, 0, "");
    print_value("FP64 units / SM", d->units64, 0, "");
    print_value("tensor cores / SM", d->tensor_units, 0, "");
    double clocks = 2e-12 * d->multiprocessors * d->clock;
    print_value("clock", 1e-9 * d->clock, 3, " GHz");
    print_value("peak FP32", clocks * d->units32, 1, " TFLOP/s");
    print_value("peak FP64", clocks * d->units64, 1, " TFLOP/s");
    print_value("peak tensor FP16", clocks * d->tensor_rate, 0, " TFLOP/s");
    print_value("L1 line", 0, 0, "");
    print_value("L2 line", 0, 0, "");
    print_value("L2", d->second_cache / 1024, 0, " kiB");
    print_value("shared memory / SM", d->shared / 1024, 0, " kiB");
    print_value("shared memory / block", d->shared_block / 1024, 0, " kiB at most");
    print_value("constant memory", d->constant / 1024, 0, " kiB");
    print_value("registers / SM", d->registers, 0, "");
    print_value("memory", d->memory / 0x1p30, 1, " GiB");
    print_value("memory rate", 1e-9 * d->mem_rate, 0, " GB/s");
}

void info_devices(void)
{
    for (int k = 0; k < cuda_devices(); k++) {
        struct cuda_device device;
        struct error error;
        if (cuda_device_describe(&device, k, &error))
            printf("cuda:%d        %s\n", k, error.text);
        else
            print_device(&device, k);
    }
}
