/* compare.h: ascending orders of numbers and texts, for qsort and bsearch. */
#ifndef CARDIAC_KERNELS_BASE_COMPARE_H
#define CARDIAC_KERNELS_BASE_COMPARE_H

int compare_int32(const void *a, const void *b);
int compare_int64(const void *a, const void *b);
int compare_double(const void *a, const void *b);
int compare_text(const void *a, const void *b); /* of arrays of char * */

#endif
