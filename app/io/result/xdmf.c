/* xdmf.c: writes the sidecar. */
#include "app/io/result/xdmf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/io/result/vtkhdf_mesh.h"
#include "app/util/path.h"
#include "app/util/plain_file.h"
#include "app/util/text_media.h"

/* <DataItem>file:place</DataItem> */
static void put_item(FILE *out, const struct xdmf *xdmf, const char *number, int bytes, int64_t rows,
                     int64_t width, const char *place)
{
    fprintf(out, "          <DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%d\" Dimensions=\"%lld",
            number, bytes, (long long)rows);
    if (width > 1)
        fprintf(out, " %lld", (long long)width);
    fputs("\">", out);
    text_media_put(out, TEXT_XML, path_base_name(xdmf->data));
    fputc(':', out);
    text_media_put(out, TEXT_XML, place);
    fputs("</DataItem>\n", out);
}

static void put_array(FILE *out, const struct xdmf *xdmf, const struct xdmf_array *array, int64_t step)
{
    char place[200];
    if (array->in_time)
        snprintf(place, sizeof place, "%s/%06lld", array->place, (long long)step);
    else
        snprintf(place, sizeof place, "%s", array->place);
    fputs("        <Attribute Name=\"", out);
    text_media_put(out, TEXT_XML, array->name);
    fprintf(out, "\" AttributeType=\"%s\" Center=\"%s\">\n", array->width == 3 ? "Vector" : "Scalar",
            array->cell ? "Cell" : "Node");
    put_item(out, xdmf, array->integer ? "Int" : "Float", array->bytes,
             array->cell ? xdmf->cells : xdmf->nodes, array->width, place);
    fputs("        </Attribute>\n", out);
}

/* What all frames share: the mesh, maps and regions */
static void put_constant(FILE *out, const struct xdmf *xdmf)
{
    static const char *const topology[4] = {"", "Polyline\" NodesPerElement=\"2", "Triangle", "Tetrahedron"};
    fprintf(out, "        <Topology TopologyType=\"%s\" NumberOfElements=\"%lld\">\n",
            xdmf->topology ? "Mixed" : topology[xdmf->dimension], (long long)xdmf->cells);
    if (xdmf->topology)
        put_item(out, xdmf, "Int", 4, xdmf->topology, 1, vtkhdf_topology);
    else
        put_item(out, xdmf, "Int", 8, xdmf->cells * (xdmf->dimension + 1), 1, "/VTKHDF/Connectivity");
    fputs("        </Topology>\n        <Geometry GeometryType=\"XYZ\">\n", out);
    put_item(out, xdmf, "Float", 8, xdmf->nodes, 3, "/VTKHDF/Points");
    fputs("        </Geometry>\n", out);
    for (int a = 0; a < xdmf->arrays; a++)
        if (!xdmf->array[a].in_time)
            put_array(out, xdmf, &xdmf->array[a], 0);
}

/* A frame: its time, its fields, and what all frames share, which stands in the first one */
static void put_grid(FILE *out, const struct xdmf *xdmf, int64_t step)
{
    int fields = 0;
    fprintf(out, "      <Grid Name=\"tissue\" GridType=\"Uniform\">\n        <Time Value=\"%.17g\"/>\n",
            xdmf->time[step]);
    for (int a = 0; a < xdmf->arrays; a++)
        if (xdmf->array[a].in_time) {
            put_array(out, xdmf, &xdmf->array[a], step);
            fields++;
        }
    if (step == 0)
        put_constant(out, xdmf);
    else
        fprintf(
            out,
            "        <xi:include xpointer=\"xpointer(/Xdmf/Domain/Grid/Grid[1]/*[position()&gt;%d])\"/>\n",
            1 + fields);
    fputs("      </Grid>\n", out);
}

enum status xdmf_write(const struct xdmf *xdmf, struct error *error)
{
    char beside[4200];
    if (snprintf(beside, sizeof beside, "%s.tmp", xdmf->path) >= (int)sizeof beside)
        return error_set(error, STATUS_RUN, "%.200s...: the file name is too long", xdmf->path);
    FILE *out;
    TRY(plain_file_stream(&out, beside, O_WRONLY | O_CREAT | O_TRUNC, "w", error));
    fputs("<?xml version=\"1.0\" ?>\n<Xdmf Version=\"3.0\" "
          "xmlns:xi=\"http://www.w3.org/2001/XInclude\">\n  <Domain>\n"
          "    <Grid Name=\"run\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
          out);
    for (int64_t step = 0; step < xdmf->steps; step++)
        put_grid(out, xdmf, step);
    fputs("    </Grid>\n  </Domain>\n</Xdmf>\n", out);
    int failed = ferror(out);
    failed |= fflush(out) || fsync(fileno(out)); /* before the name is: else it could be that of nothing */
    if (fclose(out) || failed || rename(beside, xdmf->path)) {
        error_set(error, STATUS_RUN, "%s: %s", xdmf->path, strerror(errno));
        unlink(beside);
        return STATUS_RUN;
    }
    return STATUS_OK;
}
