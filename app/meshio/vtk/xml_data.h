/* xml_data.h: the numbers of an array in a VTK XML file: ASCII, or bytes, as base64 or not, compressed by
 * zlib or not (VTK file formats, "XML file formats"). */
#ifndef CARDIAC_APP_MESHIO_VTK_XML_DATA_H
#define CARDIAC_APP_MESHIO_VTK_XML_DATA_H

#include "app/meshio/vtk/vtk.h"

struct xml_coding {
    bool base64;      /* else the bytes as they are */
    bool zlib;        /* in compressed blocks */
    bool big;         /* lengths begin with their highest byte */
    int length_bytes; /* of a length: 4 or 8 */
};

/* values <- the words up to the next "<", which is read */
enum status xml_data_words(struct vtk_values *values, struct text_file *text, struct error *error);

/* values <- the bytes that follow, behind their length or, compressed, behind the lengths of their blocks.
 * *inflated += what came out of zlib, which is bounded by the size of the file and by
 * values->expected. */
enum status xml_data_bytes(struct vtk_values *values, struct xml_coding coding, struct text_file *text,
                           int64_t *inflated, struct error *error);

#endif
