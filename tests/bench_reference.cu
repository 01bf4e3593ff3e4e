/* bench_reference.cu: the driver's copy and cuSPARSE, timed by events; medians. */
#include "tests/bench_reference.h"

#include <cusparse.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#include <algorithm>

enum { REPEATS = 21, BLOCK = 256 };

/* Seconds of one work(), of `count` in a row */
template <typename Work> static double time_events(int count, Work work)
{
    std::vector<float> taken;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int k = -2; k < REPEATS; k++) {
        float ms = 0;
        cudaEventRecord(begin, 0);
        for (int c = 0; c < count; c++)
            work();
        cudaEventRecord(end, 0);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        if (k >= 0)
            taken.push_back(ms);
    }
    std::nth_element(taken.begin(), taken.begin() + REPEATS / 2, taken.end());
    return cudaGetLastError() == cudaSuccess ? 1e-3 * taken[REPEATS / 2] / count : 0;
}

double reference_copy(double bytes)
{
    size_t size = (size_t)(bytes / 2);
    void *from = NULL, *to = NULL;
    double seconds = 0;
    if (cudaMalloc(&from, size) == cudaSuccess && cudaMalloc(&to, size) == cudaSuccess) {
        cudaMemset(from, 1, size);
        seconds = time_events(5, [&] { cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, 0); });
    }
    cudaFree(from);
    cudaFree(to);
    return seconds > 0 ? bytes / seconds : 0;
}

template <typename T>
static __global__ void update_rows(int64_t rows, const double *b, const double *inverse, const T *product,
                                   T *x)
{
    int64_t i = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < rows)
        x[i] = (T)((b[i] - (double)product[i]) * inverse[i]);
}

template <typename T> static T *on_device(const std::vector<T> &host)
{
    T *device = NULL;
    if (cudaMalloc((void **)&device, host.size() * sizeof(T)) == cudaSuccess)
        cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}

template <typename T>
static double time_sweep(int64_t rows, const int64_t *start, const int32_t *column, const double *value,
                         cudaDataType type)
{
    int64_t entries = start[rows];
    std::vector<int> begin(start, start + rows + 1), columns(column, column + entries);
    std::vector<T> values(value, value + entries), ones((size_t)rows, (T)0.5);
    std::vector<double> halves((size_t)rows, 0.5);
    int *d_begin = on_device(begin), *d_column = on_device(columns);
    T *d_value = on_device(values), *x = on_device(ones), *y = on_device(ones), one = 1, none = 0;
    double *b = on_device(halves), *inverse = on_device(halves), seconds = 0;
    void *space = NULL;
    size_t bytes = 0;
    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t vector_x, vector_y;
    cusparseCreate(&handle);
    cusparseCreateCsr(&matrix, rows, rows, entries, d_begin, d_column, d_value, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
    cusparseCreateDnVec(&vector_x, rows, x, type);
    cusparseCreateDnVec(&vector_y, rows, y, type);
    cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vector_x, &none, vector_y,
                            type, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    if (cudaMalloc(&space, bytes + 1) == cudaSuccess) {
        cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vector_x, &none,
                                vector_y, type, CUSPARSE_SPMV_ALG_DEFAULT, space);
        seconds = time_events(20, [&] {
            cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, vector_x, &none, vector_y,
                         type, CUSPARSE_SPMV_ALG_DEFAULT, space);
            update_rows<T><<<(unsigned)((rows + BLOCK - 1) / BLOCK), BLOCK>>>(rows, b, inverse, y, x);
        });
    }
    cusparseDestroySpMat(matrix);
    cusparseDestroyDnVec(vector_x);
    cusparseDestroyDnVec(vector_y);
    cusparseDestroy(handle);
    void *memory[] = {d_begin, d_column, d_value, x, y, b, inverse, space};
    for (void *one_of : memory)
        cudaFree(one_of);
    return seconds;
}

double reference_sweep(int64_t rows, const int64_t *start, const int32_t *column, const double *value,
                       int single)
{
    return single ? time_sweep<float>(rows, start, column, value, CUDA_R_32F)
                  : time_sweep<double>(rows, start, column, value, CUDA_R_64F);
}
