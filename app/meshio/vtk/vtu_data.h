/* vtu_data.h: the numbers of one array of a .vtu file, however they are written down. */
#ifndef CARDIAC_APP_MESHIO_VTK_VTU_DATA_H
#define CARDIAC_APP_MESHIO_VTK_VTU_DATA_H

#include "app/meshio/vtk/vtk_values.h"

struct vtu_coding {
    bool base64;      /* else the bytes as they are */
    bool zlib;        /* in compressed blocks */
    bool big;         /* lengths begin with their highest byte */
    int length_bytes; /* of a length: 4 or 8 */
};

/* Of all arrays of a file together, zlib may make this many times its size, and as much besides */
enum { VTU_DATA_EXPANSION = 100, VTU_DATA_FREE = 1 << 20 };

/* values <- the words up to the next "<", which is read */
enum status vtu_data_words(struct vtk_values *values, struct text_file *text, struct error *error);

/* values <- the bytes that follow, behind their length or, compressed, behind the lengths of their blocks.
 * *inflated += what came out of zlib, which is bounded as above and by values->expected. */
enum status vtu_data_bytes(struct vtk_values *values, struct vtu_coding coding, struct text_file *text,
                           int64_t *inflated, struct error *error);

#endif
