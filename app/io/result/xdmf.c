/* xdmf.c: writes the sidecar. */
#include "app/io/result/xdmf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/io/result/vtkhdf_names.h"
#include "app/util/path.h"
#include "app/util/own_file.h"
#include "app/util/text_media.h"

const char xdmf_mark[] = "<?xml version=\"1.0\" ?>\n<Xdmf";

/* The file being written, and the name of the .vtkhdf in it */
struct sidecar {
    const struct xdmf *xdmf;
    const char *data;
    FILE *out;
};

/* <DataItem>file:place</DataItem> */
static void put_item(const struct sidecar *to, const char *number, int bytes, int64_t rows, int64_t width,
                     const char *dataset)
{
    fprintf(to->out,
            "          <DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%d\" Dimensions=\"%lld", number,
            bytes, (long long)rows);
    if (width > 1)
        fprintf(to->out, " %lld", (long long)width);
    fputs("\">", to->out);
    text_media_put(to->out, TEXT_XML, to->data);
    fputc(':', to->out);
    text_media_put(to->out, TEXT_XML, dataset);
    fputs("</DataItem>\n", to->out);
}

/* A scalar, or a vector of width 3, at nodes or cells */
static void put_array(const struct sidecar *to, const char *name, enum location location, const char *number,
                      int bytes, int64_t width, const char *dataset)
{
    const bool nodes = location == LOCATION_NODE;
    fputs("        <Attribute Name=\"", to->out);
    text_media_put(to->out, TEXT_XML, name);
    fprintf(to->out, "\" AttributeType=\"%s\" Center=\"%s\">\n", width == 3 ? "Vector" : "Scalar",
            nodes ? "Node" : "Cell");
    put_item(to, number, bytes, nodes ? to->xdmf->nodes : to->xdmf->cells, width, dataset);
    fputs("        </Attribute>\n", to->out);
}

/* XDMF readers support scalars and vectors: of a map of several values a node each value has a view and a
 * name of its own, activation_time_1 and so on. */
static void put_map(const struct sidecar *to, const struct steps_map *map)
{
    const bool several = map->width > 1;
    char name[96], dataset[160];
    for (int64_t w = 0; w < map->width; w++) {
        snprintf(name, sizeof name, several ? "%s_%lld" : "%s", map->name, (long long)w + 1);
        snprintf(dataset, sizeof dataset, several ? "/views/%s/%06lld" : "/VTKHDF/PointData/%s", map->name,
                 (long long)w);
        put_array(to, name, LOCATION_NODE, "Float", 4, 1, dataset);
    }
}

static void put_direction(const struct sidecar *to, const char *name)
{
    const enum location location = to->xdmf->directions;
    char dataset[64];
    snprintf(dataset, sizeof dataset, "/VTKHDF/%s/%s", location == LOCATION_NODE ? "PointData" : "CellData",
             name);
    put_array(to, name, location, "Float", 4, 3, dataset);
}

/* What all frames share: the mesh, maps, regions and directions */
static void put_constant(const struct sidecar *to)
{
    static const char *const topology[4] = {"", "Polyline\" NodesPerElement=\"2", "Triangle", "Tetrahedron"};
    const struct xdmf *xdmf = to->xdmf;
    fprintf(to->out, "        <Topology TopologyType=\"%s\" NumberOfElements=\"%lld\">\n",
            xdmf->topology ? "Mixed" : topology[xdmf->dimension], (long long)xdmf->cells);
    if (xdmf->topology)
        put_item(to, "Int", 4, xdmf->topology, 1, vtkhdf_topology);
    else
        put_item(to, "Int", 8, xdmf->cells * (xdmf->dimension + 1), 1, "/VTKHDF/Connectivity");
    fputs("        </Topology>\n        <Geometry GeometryType=\"XYZ\">\n", to->out);
    put_item(to, "Float", xdmf->points_width, xdmf->nodes, 3, "/VTKHDF/Points");
    fputs("        </Geometry>\n", to->out);
    for (int m = 0; m < xdmf->maps; m++)
        put_map(to, &xdmf->map[m]);
    put_array(to, "region", LOCATION_ELEMENT, "Int", 4, 1, "/VTKHDF/CellData/region");
    if (xdmf->fiber)
        put_direction(to, "fiber");
    if (xdmf->sheet)
        put_direction(to, "sheet");
}

/* A frame: its time, its fields, and what all frames share, which is in the first one */
static void put_grid(const struct sidecar *to, double time, int64_t step)
{
    const struct xdmf *xdmf = to->xdmf;
    char dataset[160];
    fprintf(to->out, "      <Grid Name=\"tissue\" GridType=\"Uniform\">\n        <Time Value=\"%.17g\"/>\n",
            time);
    for (int f = 0; f < xdmf->fields; f++) {
        const struct time_field *field = &xdmf->field[f];
        snprintf(dataset, sizeof dataset, "/views/%s/%06lld", field->name, (long long)step);
        put_array(to, field->name, LOCATION_NODE, "Float", field->shape.wide ? 8 : 4, 1, dataset);
    }
    if (step == 0)
        put_constant(to);
    else
        fprintf(
            to->out,
            "        <xi:include xpointer=\"xpointer(/Xdmf/Domain/Grid/Grid[1]/*[position()&gt;%d])\"/>\n",
            1 + xdmf->fields);
    fputs("      </Grid>\n", to->out);
}

bool xdmf_name(struct xdmf *xdmf, const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const bool ends = dot && (!slash || dot > slash + 1);
    if (asprintf(&xdmf->path, "%.*s.xdmf", (int)(ends ? (size_t)(dot - path) : strlen(path)), path) < 0)
        xdmf->path = NULL;
    return xdmf->path;
}

enum status xdmf_write(const struct xdmf *xdmf, const char *data, const double *time, int64_t steps,
                       struct error *error)
{
    struct own_file file;
    /* VTK's reader of XDMF crashes on a collection without grids, and an old sidecar names other frames */
    if (steps == 0) {
        TRY(own_file_claim(xdmf->path, xdmf_mark, "remove it", error));
        return !unlink(xdmf->path) || errno == ENOENT
                   ? STATUS_OK
                   : error_set(error, STATUS_RUN, "%s: %s", xdmf->path, strerror(errno));
    }
    TRY(own_file_begin(&file, xdmf->path, xdmf_mark, error));
    const struct sidecar to = {xdmf, path_base_name(data), file.out};
    fputs(xdmf_mark, to.out);
    fputs(" Version=\"3.0\" "
          "xmlns:xi=\"http://www.w3.org/2001/XInclude\">\n  <Domain>\n"
          "    <Grid Name=\"run\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
          to.out);
    for (int64_t step = 0; step < steps; step++)
        put_grid(&to, time[step], step);
    fputs("    </Grid>\n  </Domain>\n</Xdmf>\n", to.out);
    return own_file_end(&file, STATUS_OK, error);
}
