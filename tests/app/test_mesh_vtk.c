/* test_mesh_vtk.c: VTK's files as people and programs write them, good ones and broken ones, and cells of
 * other shapes split alike from both sides of a face. What VTK itself writes is read in meshes_of_vtk.py. */
#include "app/meshio/mesh_file.h"
#include "app/meshio/split.h"
#include "solver/mesh/check.h"
#include "solver/mesh/surface.h"
#include "tests/support/mesh_sample.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

#define HEAD "# vtk DataFile Version 3.0\ntitle # with a sign\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS4 "POINTS 4 double\n0 0 0 1500 0 0\n0 150.7 0 0 0 0.1\n"
#define CELLS1 "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"

static const char legacy_text[] =
    HEAD "FIELD FieldData 1\nTIME 1 1 double\n0.5\n" POINTS4
         "\nMETADATA\nINFORMATION 1\nNAME X LOCATION Y\nDATA 1 2\n\n"
         "CELLS 4 16\n2 0 1 4 0 1\n2 3 3 0 1 2\n3 1 2 3\nCELL_TYPES 4\n3 10 5\n5\n"
         "CELL_DATA 4\nSCALARS region int\n-7 42 3 0\nNORMALS n float\n1 0 0 0 1 0 0 0 1 0 0 1\n"
         "POINT_DATA 4\nSCALARS two%20words float 2\nLOOKUP_TABLE own\n1 2 3 4 5 6 7 nan\nLOOKUP_TABLE own "
         "1\n1 1 1 1\n"
         "COLOR_SCALARS colour 3\n0 0 0 1 1 1 0 0 0 0 0 0\nFIELD more 2\na 1 4 int\n1 2 3 "
         "4\nMETADATA\nX\n\nb 1 4 int\n4 3 2 "
         "1\nVECTORS fiber double\n1 0 0 0 1 0 0 0 1 1 1 1\nSCALARS last int\n1 2 3 4";

#define XML                                                                                                  \
    "<?xml version='1.0'?><!-- a - comment -- -->\n<VTKFile type=\"UnstructuredGrid\" "                      \
    "byte_order=\"LittleEndian\">"
#define PIECE(points, cells)                                                                                 \
    XML "<UnstructuredGrid><Piece NumberOfPoints=\"" points "\" NumberOfCells=\"" cells "\">"
#define XML_POINTS                                                                                           \
    "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">"                         \
    "0 0 0 1500 0 0\n0 150.7 0 0 0 0.1</DataArray></Points>"
#define XML_CELLS                                                                                            \
    "<Cells><DataArray type='Int32' Name='connectivity'> 0 1 2 3</DataArray><DataArray type='Int64' "        \
    "Name='offsets'>4</DataArray><DataArray type='UInt8' Name='types'>10</DataArray></Cells>"
#define XML_GRID "</Piece></UnstructuredGrid>"
#define XML_END XML_GRID "</VTKFile>\n"

static const char xml_text[] = PIECE(
    "4",
    "4") "<PointData><DataArray type=\"Float32\" Name=\"two words\" NumberOfComponents=\"2\"><InformationKey "
         "name=\"x\"><Value index=\"0\">1 2</Value></InformationKey>1 2 3 4 5 6 7 nan</DataArray>"
         "<DataArray type='Int8' Name='&quot;&lt;&#97;>' format='ascii'>1 2 3 4</DataArray>"
         "<DataArray type='Float64' Name='fiber' NumberOfComponents='3'>1 0 0 0 1 0 0 0 1 1 1 1</DataArray>"
         "<Array type='String' Name='unused'>a &lt; b</Array></PointData>"
         "<CellData><DataArray type='Int32' Name='region'>-7 42 3 0</DataArray></CellData>" XML_POINTS
         "<Cells><DataArray type='Int32' Name='connectivity'> 0 1\n0 1 2 3 0 1 2 1 2 3</DataArray><DataArray "
         "type='Int64' Name='offsets'>2 6 9 12</DataArray><DataArray type='UInt8' Name='types'>3 10 5 "
         "5</DataArray></Cells>" XML_END;

/* A tetrahedron of tag 42, a triangle of mark 3, and what has no tag or is of too low a dimension left out */
static void test_dialect(const char *path, const char *text)
{
    struct error error = {0};
    struct mesh mesh = {0};
    struct mesh_notes notes;
    static const struct array_selection all = {.all = true};
    write_text(path, text);
    CHECK_OK(mesh_read(&mesh, path, 1e-3, &all, &notes, &error), error);
    CHECK(mesh.elements == 1 && mesh.tag[0] == 42 && mesh.nodes == 4, "%s: tag %d", path, (int)mesh.tag[0]);
    CHECK(mesh.faces == 1 && mesh.mark[0] == 3 && mesh.face[2] == 2, "%s: %lld faces", path,
          (long long)mesh.faces);
    CHECK(notes.dropped[1] == 1 && notes.dropped[2] == 2, "%s: %lld lines", path,
          (long long)notes.dropped[1]);
    CHECK(mesh.point[3] == 1.5 && mesh.point[7] == 0.1507 && mesh.point[11] == 0.0001,
          "%s: um to mm is not exact: %.17g", path, mesh.point[7]);
    CHECK(mesh.fiber_location == LOCATION_NODE && mesh.fiber[11] == 1, "%s: fibres", path);
    const struct mesh_field *two = mesh_fields_find(&mesh.fields, "two words", LOCATION_NODE);
    CHECK(two && two->components == 2 && two->value[6] == 7 && isnan(two->value[7]), "%s: no array", path);
    const struct mesh_field *a =
        mesh_fields_find(&mesh.fields, text == xml_text ? "\"<a>" : "b", LOCATION_NODE);
    CHECK(a && a->value[0] == (text == xml_text ? 1 : 4), "%s: no array of whole numbers", path);
    CHECK(text == xml_text || mesh_fields_find(&mesh.fields, "n", LOCATION_ELEMENT)->value[1] == 1,
          "%s: the row of another cell", path);
    mesh_free(&mesh);
    CHECK_OK(mesh_read(&mesh, path, 1e-3, NULL, &notes, &error), error);
    CHECK(mesh.fiber && !mesh_fields_find(&mesh.fields, "two words", LOCATION_NODE)->value,
          "%s: read unasked", path);
    mesh_free(&mesh);
    unlink(path);
}

/* Faces and tags of a mesh of Gmsh that meshio has converted: in an array of its own name, after another */
static void test_meshio(const char *path)
{
    struct error error = {0};
    struct mesh mesh = {0};
    write_text(path, HEAD POINTS4 "CELLS 2 9\n4 0 1 2 3\n3 0 1 2\nCELL_TYPES 2\n10\n5\nCELL_DATA 2\n"
                                  "FIELD FieldData 2\ngmsh:geometrical 1 2 vtktypeint64\n8 9\n"
                                  "gmsh:physical 1 2 vtktypeint64\n42 3\n");
    CHECK_OK(mesh_read(&mesh, path, 1e-3, NULL, NULL, &error), error);
    CHECK(mesh.tag[0] == 42 && mesh.faces == 1 && mesh.mark[0] == 3, "%s: tag %d, %lld faces", path,
          (int)mesh.tag[0], (long long)mesh.faces);
    mesh_free(&mesh);
    unlink(path);
}

#define POLY "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET POLYDATA\n" POINTS4
#define POLY_XML(verts, lines, strips, polys)                                                                \
    "<VTKFile type='PolyData'><PolyData><Piece NumberOfPoints='4' NumberOfVerts='" verts                     \
    "' NumberOfLines='" lines "' NumberOfStrips='" strips "' NumberOfPolys='" polys "'>" XML_POINTS
#define POLY_CELLS(section, nodes, ends)                                                                     \
    "<" section "><DataArray type='Int64' Name='connectivity'>" nodes                                        \
    "</DataArray><DataArray type='Int64' Name='offsets'>" ends "</DataArray></" section ">"
#define POLY_END "</Piece></PolyData></VTKFile>"

/* PolyData whose last cell has tag 7 and ends at node 3 */
static void test_poly(const char *path, const char *text, int dimension, int64_t elements)
{
    struct error error = {0};
    struct mesh mesh = {0};
    write_text(path, text);
    CHECK_OK(mesh_read(&mesh, path, 1e-3, NULL, NULL, &error), error);
    CHECK(mesh.dimension == dimension && mesh.elements == elements && mesh.tag[elements - 1] == 7,
          "%s: %lld elements of dimension %d", path, (long long)mesh.elements, mesh.dimension);
    CHECK(mesh.vertex[(dimension + 1) * elements - 1] == 3 && mesh.point[3] == 1.5, "%s: nodes", path);
    CHECK(mesh_write(&mesh, "x.vtp", true, &error) == STATUS_INPUT && strstr(error.text, "only read"), "%s",
          error.text);
    mesh_free(&mesh);
    unlink(path);
}

static void test_polydata(void)
{
    test_poly("p.vtk", POLY "POLYGONS 2 8\n3 0 1 2\n3 1 2 3\nCELL_DATA 2\nSCALARS region int\n3 7\n", 2, 2);
    test_poly("l.vtk", POLY "LINES 3 9\n2 0 1\n2 1 2\n2 2 3\nCELL_DATA 3\nSCALARS region int\n3 3 7\n", 1, 3);
    test_poly(
        "l.vtp",
        POLY_XML("0", "3", "0", "0") POLY_CELLS("Verts", "", "") POLY_CELLS("Lines", "0 1 1 2 2 3", "2 4 6")
            POLY_CELLS(
                "Polys", "",
                "") "<CellData><DataArray type='Int32' Name='region'>1 2 7</DataArray></CellData>" POLY_END,
        1, 3);
    test_poly(
        "q.vtp",
        POLY_XML("0", "0", "0", "2") POLY_CELLS(
            "Polys", "0 1 3 2 1 2 3",
            "4 7") "<CellData><DataArray type='Int32' Name='region'>1 7</DataArray></CellData>" POLY_END,
        2, 3);
}

/* Each array in one line of any length, as some write them; the last word at the end of it is `last`. */
static void write_long_lines(const char *path, int nodes, const char *last)
{
    FILE *file = fopen(path, "w");
    CHECK(file, "%s", path);
    fprintf(file, HEAD "POINTS %d double\n", nodes);
    for (int i = 0; i < nodes; i++)
        fprintf(file, "%d.5 0 0 ", i);
    fprintf(file, "\nCELLS %d %d\n", nodes - 1, 3 * (nodes - 1));
    for (int i = 1; i < nodes; i++)
        fprintf(file, "2 %d %d ", i - 1, i);
    fprintf(file, "\nCELL_TYPES %d\n", nodes - 1);
    for (int i = 1; i < nodes; i++)
        fprintf(file, " 3");
    fprintf(file, "\n\nPOINT_DATA %d\nSCALARS a int\nLOOKUP_TABLE b\n", nodes);
    for (int i = 1; i < nodes; i++)
        fprintf(file, "%d ", i);
    fprintf(file, "%s", last);
    CHECK(fclose(file) == 0, "%s", path);
}

static void test_long_lines(const char *path)
{
    enum { NODES = 30000 };
    struct error error = {0};
    struct mesh mesh = {0};
    const struct array_selection all = {.all = true};
    write_long_lines(path, NODES, "30000");
    CHECK_OK(mesh_read(&mesh, path, 1, &all, NULL, &error), error);
    CHECK(mesh.nodes == NODES && mesh.elements == NODES - 1 && mesh.dimension == 1, "%lld nodes",
          (long long)mesh.nodes);
    for (int64_t i = 0; i < NODES; i++)
        CHECK(mesh.point[3 * i] == (double)i + 0.5 && mesh.fields.item[0].value[i] == (double)i + 1,
              "node %lld", (long long)i);
    mesh_free(&mesh);
    write_long_lines(path, NODES, "x");
    CHECK(mesh_read(&mesh, path, 1, &all, NULL, &error) == STATUS_INPUT &&
              strstr(error.text, ":15: a: 'x' is not a number"),
          "%s", error.text);
    unlink(path);
}

struct broken {
    const char *words, *text;
};

static const struct broken legacy[] = {
    {"not a legacy VTK file", "hello\n"},
    {"version 7 is not supported; 1.0 to 5.1", "# vtk DataFile Version 7.0\n\nASCII\n"},
    {":3:7: 'XML' where ASCII or BINARY is expected", "# vtk DataFile Version 3.0\n\n   XML\n"},
    {"expected UNSTRUCTURED_GRID or POLYDATA",
     "# vtk DataFile Version 3.0\n\nASCII\nDATASET STRUCTURED_POINTS\n"},
    {":10:9: lines and polygons in one file; `python3 -c", POLY "LINES 1 3\n2 0 1\nPOLYGONS 1 4\n3 0 1 2\n"},
    {"strips are not supported; `python3 -c", POLY "TRIANGLE_STRIPS 1 5\n4 0 1 2 3\n"},
    {"1 cells of VTK type 4 cannot be used", POLY "LINES 1 4\n3 0 1 2\n"},
    {"or of lines; `python3 -c", POLY "POLYGONS 1 6\n5 0 1 2 3 2\n"},
    {"the grid has no cells", POLY},
    {":5:1: 'WORDS' where a section", HEAD "WORDS\n"},
    {"the grid has no cells", HEAD POINTS4},
    {":8: the file ends before the points",
     HEAD "POINTS 4 double\n0 0 0 1 0 0\n0 1                       \n"},
    {"4000000000 points", HEAD "POINTS 4000000000 double\n"},
    {"6000000000 numbers are declared", HEAD "POINTS 2000000000 double\n0 0 0\n"},
    {"the points: number 1 is not finite", HEAD "POINTS 1 double\n0 nan 0\n"},
    {"the points: 'x' is not a number", HEAD "POINTS 1 double\n0 x 0\n"},
    {"'string' is not a supported number type", HEAD "POINTS 1 string\n0 0 0\n"},
    {"the cells' nodes: number 3 is 4; expected 0 to 3", HEAD POINTS4 "CELLS 1 5\n4 0 1 2 4\n"},
    {"the cells' nodes: number 0 is -1", HEAD POINTS4 "CELLS 1 5\n4 -1 1 2 3\n"},
    {"more numbers than declared", HEAD POINTS4 "CELLS 1 4\n4 0 1 2 3\n"},
    {"1 numbers fewer than declared", HEAD POINTS4 "CELLS 1 6\n4 0 1 2 3\n"},
    {"2 types for 1 cells", HEAD POINTS4 "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n"},
    {"the cells' types: number 0 is 300", HEAD POINTS4 "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n300\n"},
    {"0 types", HEAD POINTS4 "CELLS 1 5\n4 0 1 2 3\n"},
    {"cell 0 of type 12 has nodes 0 to 4", HEAD POINTS4 "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n12\n"},
    {"2 cells of VTK type 24 cannot be used",
     HEAD POINTS4 "CELLS 2 10\n4 0 1 2 3 4 0 1 2 3\nCELL_TYPES 2\n24 24\n"},
    {"data of 2 rows; there are 1", HEAD POINTS4 CELLS1 "CELL_DATA 2\n"},
    {"an array before CELL_DATA", HEAD POINTS4 CELLS1 "VECTORS fiber double\n"},
    {"2 rows of 'fiber'; expected 1",
     HEAD POINTS4 CELLS1 "CELL_DATA 1\nFIELD f 1\nfiber 3 2 int\n1 1 1 1 1 1\n"},
    {"two arrays are named 'fiber'",
     HEAD POINTS4 CELLS1 "CELL_DATA 1\nVECTORS fiber int\n1 0 0\nVECTORS fiber int\n1 0 0\n"},
    {"is not a whole number of 32 bits",
     HEAD POINTS4 CELLS1 "CELL_DATA 1\nSCALARS region float\nLOOKUP_TABLE d\n0.5\n"},
    {"the file ends before fiber", HEAD POINTS4 CELLS1 "CELL_DATA 1\nVECTORS fiber int\n1 0\n"},
    {"'CONNECTIVITY' where OFFSETS is expected",
     "# vtk DataFile Version 5.1\n\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS4
     "CELLS 2 4\nCONNECTIVITY vtktypeint64\n"},
    {"the first cell begins at 1",
     "# vtk DataFile Version 5.1\n\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS4
     "CELLS 2 4\nOFFSETS vtktypeint64\n1 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\n"},
    {"4 nodes of cells, of which the cells use 3",
     "# vtk DataFile Version 5.1\n\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS4
     "CELLS 2 4\nOFFSETS vtktypeint64\n0 3\nCONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n5\n"},
    {"byte 121: the file ends inside the points",
     "# vtk DataFile Version 3.0\n\nBINARY\nDATASET UNSTRUCTURED_GRID\n"
     "POINTS 2 double\n01234567890123456789012345678901234567890123"},
};

static const struct broken xml[] = {
    {"not a VTK XML file", "hello"},
    {"not a VTK XML file", "<html>"},
    {"expected UnstructuredGrid or PolyData", "<VTKFile type='ImageData'>"},
    {":1: 0 vertices, 1 strips, 0 lines, 2 polygons; only", POLY_XML("0", "0", "1", "2") POLY_END},
    {"0 vertices, 0 strips, 1 lines, 2 polygons; only", POLY_XML("0", "1", "0", "2") POLY_END},
    {"1 cells of VTK type 7 cannot be used",
     POLY_XML("0", "0", "0", "1") POLY_CELLS("Polys", "0 1 2 3 1", "5") POLY_END},
    {"has nodes 3 to 2 of 6",
     POLY_XML("0", "0", "0", "2") POLY_CELLS("Polys", "0 1 2 1 2 3", "3 2") POLY_END},
    {"0 of 2 offsets", POLY_XML("0", "0", "0", "2") POLY_END},
    {"is not supported; `python3 -c", "<VTKFile type='UnstructuredGrid' compressor='vtkLZ4DataCompressor'>"},
    {"the file ends inside a tag", "<VTKFile type='Unstr"},
    {"a value without quotes", "<VTKFile type=UnstructuredGrid>"},
    {"an attribute without a value", "<VTKFile type>"},
    {"'&nbsp;' cannot be read", "<VTKFile type='&nbsp;'>"},
    {"begins no comment", "<!DOCTYPE x>"},
    {":2: <Piece NumberOfCells=\"x\">",
     "<VTKFile type='UnstructuredGrid'>\n<Piece NumberOfPoints='4' NumberOfCells='x'>"},
    {"a whole number from 0 to 2147483647",
     "<VTKFile type='UnstructuredGrid'><Piece NumberOfPoints='3000000000' "
     "NumberOfCells='1'>"},
    {"a second piece", PIECE("4", "1") "</Piece><Piece>"},
    {"the grid has no cells", PIECE("4", "0") XML_POINTS XML_END},
    {"the points: 12 numbers; expected 15", PIECE("5", "1") XML_POINTS XML_CELLS XML_END},
    {"the points: more than the 9 numbers", PIECE("3", "1") XML_POINTS XML_CELLS XML_END},
    {"12 of 12 coordinates, 0 of 1 offsets", PIECE("4", "1") XML_POINTS XML_END},
    {"the points are given twice", PIECE("4", "1") XML_POINTS XML_POINTS XML_END},
    {"'Text' is not a supported number type",
     PIECE("4", "1") "<CellData><DataArray type='Text' Name='region'>1</DataArray></CellData>" XML_END},
    {"format 'hex'",
     PIECE("4", "1") "<CellData><DataArray type='Int32' Name='region' format='hex'>1</DataArray>"},
    {"region: not base64",
     PIECE("4", "1") "<CellData><DataArray type='Int32' Name='region' format='binary'>BAAA*</DataArray>"},
    {"region: the data ends too early",
     PIECE("4", "1") "<CellData><DataArray type='Int32' Name='region' format='binary'>BAAAAA==</DataArray>"},
    {"region: 0 numbers; expected 1",
     PIECE("4", "1") "<CellData><DataArray type='Int32' Name='region' format='binary'>AAAAAA==</DataArray>"},
    {"end within a number",
     PIECE("4", "1") "<CellData><DataArray type='Int32' Name='region' format='binary'>AgAAAAEA</DataArray>"},
    {"region: 2147483647 bytes are declared",
     PIECE("4", "1") "<CellData><DataArray type='Int32' Name='region' format='binary'>////fw==</DataArray>"},
    {"an array without numbers",
     PIECE("4", "1") "<CellData><DataArray type='Int32' Name='region'></DataArray>"},
    {"offset=\"-1\"",
     PIECE("4", "1") "<CellData><DataArray type='Int32' Name='region' format='appended' offset='-1'/>"},
    {"does not begin with '_'", PIECE("4", "1") XML_GRID "<AppendedData encoding='raw'>abc"},
    {"encoding 'hex'", PIECE("4", "1") XML_GRID "<AppendedData encoding='hex'>"},
    {"the file ends inside the appended data",
     PIECE("4", "1") "<CellData><DataArray type='Int32' Name='region' format='appended' "
                     "offset='99'/></CellData>" XML_GRID "<AppendedData encoding='raw'>_abc"},
    {"begins inside another",
     PIECE("4", "1") "<CellData><DataArray type='Int32' Name='region' format='appended' "
                     "offset='2'/><DataArray type='Int32' "
                     "Name='fiber' NumberOfComponents='3' format='appended' offset='0'/></CellData>" XML_GRID
                     "<AppendedData encoding='base64'>_DAAAAAAAAAAAAAAAAAAAAA=="},
};

static int count_wrong(const char *path, const struct broken *broken, size_t count)
{
    int wrong = 0;
    for (size_t k = 0; k < count; k++) {
        struct error error = {0};
        struct mesh mesh = {0};
        write_text(path, broken[k].text);
        if (mesh_read(&mesh, path, 1, NULL, NULL, &error) != STATUS_INPUT ||
            !strstr(error.text, broken[k].words)) {
            fprintf(stderr, "%s: '%s' is not in: %s\n", path, broken[k].words, error.text);
            wrong++;
        }
        CHECK(!mesh.point, "%s: a broken mesh was handed out", broken[k].words);
    }
    unlink(path);
    return wrong;
}

/* Every prefix of a good file is refused, but for those that lack only what no mesh needs. */
static void test_truncated(const char *path, long spare)
{
    struct error error = {0};
    struct mesh mesh = mesh_sample_odd(3, LOCATION_ELEMENT, false), read = {0};
    struct stat info;
    CHECK_OK(mesh_write(&mesh, path, true, &error), error);
    CHECK(stat(path, &info) == 0, "%s", path);
    for (long cut = (long)info.st_size - spare; cut > 0; cut -= 23) {
        CHECK(truncate(path, cut) == 0, "%s", path);
        CHECK(mesh_load(&read, path, 1, NULL, NULL, &error) == STATUS_INPUT, "%s of %ld bytes was read", path,
              cut);
    }
    mesh_free(&mesh);
    unlink(path);
}

static void put_length(FILE *file, uint64_t length)
{
    for (int i = 0; i < 4; i++)
        fputc((int)(length >> 8 * i & 255), file);
}

/* 256 MB of zeros in 256 kB: refused by the count of numbers that are expected, not for lack of memory */
static void test_bomb(const char *path, const char *points, const char *words)
{
    enum { SIZE = 1 << 20, BLOCKS = 256 };
    static unsigned char zeros[SIZE], packed[SIZE / 64];
    uLongf size = sizeof packed;
    struct error error = {0};
    struct mesh mesh = {0};
    CHECK(compress2(packed, &size, zeros, SIZE, 9) == Z_OK, "compress");
    FILE *file = fopen(path, "wb");
    CHECK(file, "%s", path);
    fprintf(file,
            "<VTKFile type='UnstructuredGrid' compressor='vtkZLibDataCompressor'><Piece NumberOfPoints='%s' "
            "NumberOfCells='1'><Points><DataArray type='Int8' NumberOfComponents='3' format='appended' "
            "offset='0'/>"
            "</Points></Piece><AppendedData encoding='raw'>_",
            points);
    put_length(file, BLOCKS);
    put_length(file, SIZE);
    put_length(file, 0);
    for (int b = 0; b < BLOCKS; b++)
        put_length(file, size);
    for (int b = 0; b < BLOCKS; b++)
        CHECK(fwrite(packed, 1, size, file) == size, "%s", path);
    CHECK(fclose(file) == 0, "%s", path);
    CHECK(mesh_read(&mesh, path, 1, NULL, NULL, &error) == STATUS_INPUT && strstr(error.text, words), "%s",
          error.text);
    unlink(path);
}

/* Cells of one lattice, nodes numbered at random: every part is positive, together they fill the lattice, and
 * a face that is not on its boundary is of two parts. */
static void test_split(uint64_t seed)
{
    enum { X = 3, Y = 4, Z = 2, NODES = (X + 1) * (Y + 1) * (Z + 1) };
    struct error error = {0};
    struct mesh mesh = {.dimension = 3, .nodes = NODES, .elements = (int64_t)X * Y * Z * SPLIT_MOST};
    struct mesh_surface surface;
    int32_t order[NODES], simplices[SPLIT_MOST][4];
    CHECK_OK(mesh_allocate(&mesh, 0, &error), error);
    for (int i = 0; i < NODES; i++) {
        int j = (int)(bits_random(seed + (uint64_t)i) * (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    mesh.elements = 0;
    double volume = 0;
    for (int z = 0; z <= Z; z++)
        for (int y = 0; y <= Y; y++)
            for (int x = 0; x <= X; x++) {
                int32_t own[8];
                double *point = mesh.point + 3 * order[x + (X + 1) * (y + (Y + 1) * z)];
                point[0] = x, point[1] = y, point[2] = z;
                for (int c = 0; c < 8; c++)
                    own[c] =
                        x < X && y < Y && z < Z
                            ? order[x + (c & 1) + (X + 1) * (y + (c >> 1 & 1) + (Y + 1) * (z + (c >> 2)))]
                            : -1;
                int count = own[0] < 0 ? 0 : split(SPLIT_VOXEL, own, simplices);
                CHECK(own[0] < 0 || count == 6, "%d parts", count);
                memcpy(mesh.vertex + 4 * mesh.elements, simplices, (size_t)count * sizeof *simplices);
                mesh.elements += count;
            }
    for (int64_t e = 0; e < mesh.elements; e++) {
        CHECK(mesh_measure(&mesh, e) > 0, "part %lld has volume %g / 6", (long long)e,
              mesh_measure(&mesh, e));
        volume += mesh_measure(&mesh, e) / 6;
    }
    CHECK(fabs(volume - X * Y * Z) < 1e-12 * volume, "the parts fill %.17g", volume);
    CHECK_OK(mesh_surface_create(&surface, &mesh, NULL, &error), error);
    CHECK(surface.faces == 4 * (X * Y + Y * Z + Z * X), "%lld faces on the boundary",
          (long long)surface.faces);
    mesh_surface_free(&surface);
    mesh_free(&mesh);
}

int main(void)
{
    char directory[] = "mesh-vtk-XXXXXX";
    CHECK(mkdtemp(directory) && chdir(directory) == 0, "no directory");
    test_dialect("a.vtk", legacy_text);
    test_dialect("a.vtu", xml_text);
    int wrong = count_wrong("b.vtk", legacy, sizeof legacy / sizeof *legacy) +
                count_wrong("b.vtu", xml, sizeof xml / sizeof *xml);
    CHECK(wrong == 0, "%d broken meshes with a wrong verdict", wrong);
    test_meshio("m.vtk");
    test_polydata();
    test_long_lines("l.vtk");
    test_truncated("t.vtk", 40);
    test_truncated("t.vtu", 2);
    test_bomb("bomb.vtu", "4", "the points: more than the 12 numbers");
    test_bomb("bomb.vtu", "50000000", "decompresses to more than 100 times its size");
    for (uint64_t seed = 1; seed < 20; seed++)
        test_split(1000 * seed);
    CHECK(chdir("..") == 0, "chdir");
    return rmdir(directory) != 0;
}
