/* cuda_cores.c: arithmetic units per multiprocessor by compute capability, which the driver does not
 * report. Sources: CUDA C++ Programming Guide, "Arithmetic Instructions"; NVIDIA's architecture papers for
 * the tensor cores. */
#include "kernels/device/cuda_device.h"

void device_cores(struct cuda_device *device)
{
    static const struct {
        int major, minor, cores32, cores64, tensor_cores, tensor_rate;
    } known[] = {
        {6, 0, 64, 32, 0, 0},    {6, 1, 128, 4, 0, 0},   {7, 0, 64, 32, 8, 512}, {7, 5, 64, 2, 8, 512},
        {8, 0, 64, 32, 4, 1024}, {8, 6, 128, 2, 4, 512}, {8, 9, 128, 2, 4, 512}, {9, 0, 128, 64, 4, 2048},
    };
    device->cores32 = device->cores64 = device->tensor_cores = device->tensor_rate = 0;
    for (unsigned k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].major == device->major && known[k].minor == device->minor) {
            device->cores32 = known[k].cores32;
            device->cores64 = known[k].cores64;
            device->tensor_cores = known[k].tensor_cores;
            device->tensor_rate = known[k].tensor_rate;
        }
}

#ifndef CARDIAC_CUDA
int cuda_devices(void)
{
    return 0;
}

enum status cuda_device_describe(struct cuda_device *device, int k, struct error *error)
{
    (void)device;
    return error_set(error, STATUS_RUN, "there is no cuda:%d: this build has no CUDA", k);
}
#endif
