/* test_mesh_broken.c: meshes that a person or an accident could have broken. Each is refused with
 * STATUS_INPUT and a message that says where and what. */
#include "app/meshio/mesh_file.h"
#include "app/meshio/text_write.h"
#include "tests/support/check.h"
#include "tests/support/gmsh_sample.h"
#include "tests/support/mesh_sample.h"

#include <sys/stat.h>
#include <unistd.h>

struct input {
    const char *name, *text; /* NULL text: no such file */
};

struct broken {
    const char *words; /* in the message */
    struct input input[4];
};

#define NODES "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n"
#define TETGEN(node, ele)                                                                                    \
    {                                                                                                        \
        {"m.node", node},                                                                                    \
        {                                                                                                    \
            "m.ele", ele                                                                                     \
        }                                                                                                    \
    }
#define PTS "4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
#define HEAD2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define NODES4 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
#define TET2 "$Elements\n1\n1 4 2 7 1 1 2 3 4\n$EndElements\n"
#define GMSH(text)                                                                                           \
    {                                                                                                        \
        {                                                                                                    \
            "m.msh", text                                                                                    \
        }                                                                                                    \
    }

static const struct broken meshes[] = {
    {"m.node: the file is empty", TETGEN("", "1 4 0\n0 0 1 2 3\n")},
    {"m.node:1: the file ends before the number of nodes", TETGEN("# only a comment", "")},
    {"m.node: no such file", {{"m.ele", "1 4 0\n0 0 1 2 3\n"}}},
    {"m.ele: no such file", {{"m.node", NODES}}},
    {"m.node:3: the file ends before the last node",
     TETGEN("4 3 0 0\n0 0.000 0.000 0.000\n1 1.000 0 0\n", "1 4 0\n0 0 1 2 3\n")},
    {"m.node:6:1: 3 nodes are declared, but more follow",
     TETGEN("3 3 0 0\n\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n", "1 4 0\n0 0 1 2 3\n")},
    {"m.node:1:1: the number of nodes is -4", TETGEN("-4 3 0 0\n", "1 4 0\n")},
    {"1000000000 nodes are declared", TETGEN("1000000000 3 0 0\n0 0 0 0\n", "1 4 0\n")},
    {"the number of nodes is 4000000000", TETGEN("4000000000 3 0 0\n0 0 0 0\n", "1 4 0\n")},
    {"'99999999999999999999999' is not a whole number", TETGEN("99999999999999999999999 3 0 0\n", "1 4 0\n")},
    {"the dimension is 4", TETGEN("1 4 0 0\n0 0 0 0 0\n", "1 4 0\n")},
    {"m.node:3:4: the x coordinate: 'nan' is not a finite number",
     TETGEN("2 3 0 0\n0 0 0 0\n1  nan 0 0\n", "1 4 0\n")},
    {"m.node:3:5: the y coordinate: 'inf' is not a finite number",
     TETGEN("2 3\n0 0 0 0\n1 0 inf 0\n", "1 4\n")},
    {"the z coordinate: '1e999' is not a finite number", TETGEN("2 3\n0 0 0 0\n1 0 0 1e999\n", "1 4\n")},
    {"the y coordinate: '0,5' is not a number", TETGEN("2 3\n0 0 0 0\n1 0 0,5 0\n", "1 4\n")},
    {"the line ends before the z coordinate", TETGEN("2 3\n0 0 0\n1 0 0 0\n", "1 4\n")},
    {"unexpected '9': the line should end here", TETGEN("2 3\n0 0 0 0 9\n1 0 0 0\n", "1 4\n")},
    {"m.node:3:1: node 2 found where 1 is expected", TETGEN("2 3\n0 0 0 0\n2 0 0 0\n", "1 4\n")},
    {"there is no node 4; nodes are numbered from 0 to 3", TETGEN(NODES, "1 4 0\n0 0 1 2 4\n")},
    {"there is no node -1", TETGEN(NODES, "1 4 0\n0 0 1 2 -1\n")},
    {"there is no node 0; nodes are numbered from 1 to 4",
     TETGEN("4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", "1 4 0\n1 0 1 2 3\n")},
    {"elements of 10 corners are quadratic", TETGEN(NODES, "1 10 0\n0 0 1 2 3 0 1 2 3 0 1\n")},
    {"elements of 8 corners", TETGEN(NODES, "1 8 0\n0 0 1 2 3 0 1 2 3\n")},
    {"9000000 elements are declared", TETGEN(NODES, "9000000 4 0\n0 0 1 2 3\n")},
    {"the region tag 1.5 is not a whole number", TETGEN(NODES, "1 4 1\n0 0 1 2 3 1.5\n")},
    {"the region tag 4294967296 is not a whole number of 32 bits",
     TETGEN(NODES, "1 4 1\n0 0 1 2 3 4294967296\n")},
    {"has no lines, triangles or tetrahedra", TETGEN(NODES, "0 4 0\n")},
    {"names one node twice", TETGEN(NODES, "1 4 0\n0 0 1 2 2\n")},
    {"of no length, area or volume",
     TETGEN("4 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 1 1 0\n", "1 4 0\n0 0 1 2 3\n")},
    {"given twice", TETGEN(NODES, "2 4 0\n0 0 1 2 3\n1 3 1 2 0\n")},
    {"1 node of no element",
     TETGEN("5 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 2 2 2\n", "1 4\n0 0 1 2 3\n")},
    {"is the scale right?", TETGEN("4 3\n0 0 0 0\n1 1e12 0 0\n2 0 1e12 0\n3 0 0 1e12\n", "1 4\n0 0 1 2 3\n")},
    {"a zero byte", {{"m.node", "\x01@\x7f\x80ZERO@"}, {"m.ele", "1"}}},
    {"'\x80\xff\xfe' is not a whole number", TETGEN("\x80\xff\xfe\n", "1")},
    {"m.fib:1:2: there are 3 fibres for 4 nodes and 1 elements",
     {{"m.node", NODES}, {"m.ele", "1 4\n0 0 1 2 3\n"}, {"m.fib", "3\n1 0 0\n1 0 0\n1 0 0\n"}}},
    {"m.fib:2:4: the line ends before a component of the fibre",
     {{"m.node", NODES}, {"m.ele", "1 4\n0 0 1 2 3\n"}, {"m.fib", "1\n1 0\n"}}},
    {"a component of the sheet direction",
     {{"m.node", NODES}, {"m.ele", "1 4\n0 0 1 2 3\n"}, {"m.fib", "1\n1 0 0 0\n"}}},
    {"'nan' is not a finite number",
     {{"m.node", NODES}, {"m.ele", "1 4\n0 0 1 2 3\n"}, {"m.fib", "1\n1 0 nan\n"}}},
    {"m.face:2:7: there is no node 9",
     {{"m.node", NODES}, {"m.ele", "1 4\n0 0 1 2 3\n"}, {"m.face", "1 1\n0 1 2 9 5\n"}}},

    {"m.elem: no such file; an openCARP mesh needs it", {{"m.pts", PTS}}},
    {"m.pts: no such file; an openCARP mesh needs it", {{"m.elem", "1\nTt 0 1 2 3 1\n"}}},
    {"an element of type 'Oc' (octahedron)", {{"m.pts", PTS}, {"m.elem", "1\nOc 0 1 2 3 0 1 1\n"}}},
    {"m.elem:2:18: there is no node 4", {{"m.pts", PTS}, {"m.elem", "1\nHx 0 1 2 3 0 1 2 4 1\n"}}},
    {"an element of type 'Xy' (unknown)", {{"m.pts", PTS}, {"m.elem", "1\nXy 0 1 2 3 1\n"}}},
    {"m.elem:2:10: there is no node 4", {{"m.pts", PTS}, {"m.elem", "1\nTt 0 1 2 4 1\n"}}},
    {"m.elem:2: the file ends before the last element", {{"m.pts", PTS}, {"m.elem", "2\nTt 0 1 2 3 1\n"}}},
    {"1 elements are declared, but more follow",
     {{"m.pts", PTS}, {"m.elem", "1\nTt 0 1 2 3 1\nTt 0 1 2 3\n"}}},
    {"-1 points are declared", {{"m.pts", "-1\n0 0 0\n"}, {"m.elem", "1\nTt 0 1 2 3 1\n"}}},
    {"5 directions per element", {{"m.pts", PTS}, {"m.elem", "1\nTt 0 1 2 3 1\n"}, {"m.lon", "5\n1 0 0\n"}}},
    {"the file ends before the first fibre",
     {{"m.pts", PTS}, {"m.elem", "1\nTt 0 1 2 3 1\n"}, {"m.lon", "1\n"}}},
    {"m.lon:2:6: the line ends before a component of the sheet",
     {{"m.pts", PTS}, {"m.elem", "1\nTt 0 1 2 3 1\n"}, {"m.lon", "2\n1 0 0\n"}}},
    {"more follow", {{"m.pts", PTS}, {"m.elem", "1\nTt 0 1 2 3 1\n"}, {"m.lon", "1\n1 0 0\n1 0 0\n"}}},

    {"does not start with $MeshFormat", GMSH("$Nodes\n")},
    {"does not start with $MeshFormat", GMSH("solid ascii\n")},
    {"version '1' of the Gmsh format", GMSH("$MeshFormat\n1 0 8\n$EndMeshFormat\n")},
    {"version '4' of the Gmsh format", GMSH("$MeshFormat\n4 0 8\n$EndMeshFormat\n")},
    {"file type 0 with data size 4", GMSH("$MeshFormat\n2.2 0 4\n$EndMeshFormat\n")},
    {"the byte order mark is 1633771873", GMSH("$MeshFormat\n4.1 1 8\naaaa\n$EndMeshFormat\n")},
    {"no $Nodes section", GMSH(HEAD2)},
    {"no $Elements section", GMSH(HEAD2 NODES2)},
    {"$Elements may come once, after $Nodes", GMSH(HEAD2 TET2 NODES2)},
    {"a second $Nodes section", GMSH(HEAD2 NODES2 NODES2 TET2)},
    {"a second $MeshFormat section", GMSH(HEAD2 HEAD4)},
    {"node 1 is defined twice", GMSH(HEAD2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n1 0 1 0\n$EndNodes\n" TET2)},
    {"element 1 has the node 4, which does not exist",
     GMSH(HEAD2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n" TET2)},
    {"names one node twice", GMSH(HEAD2 NODES2 "$Elements\n1\n1 5 2 7 1 1 2 3 4 1 2 3 4\n$EndElements\n")},
    {"(quadratic tetrahedra)",
     GMSH(HEAD2 NODES2 "$Elements\n1\n1 11 2 7 1 1 2 3 4 1 2 3 4 1 2\n$EndElements\n")},
    {"type 99 (unknown", GMSH(HEAD2 NODES2 "$Elements\n1\n1 99 2 7 1 1 2\n$EndElements\n")},
    {"the section holds more than it declared", GMSH(HEAD2 "$Nodes\n1\n1 0 0 0\n2 1 0 0\n$EndNodes\n" TET2)},
    {"'$EndNodes' is not a whole number", GMSH(HEAD2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n$EndNodes\n" TET2)},
    {"123456789 nodes are declared", GMSH(HEAD2 "$Nodes\n123456789\n1 0 0 0\n$EndNodes\n" TET2)},
    {"'NaN' is not a finite number", GMSH(HEAD2 "$Nodes\n1\n1 0 NaN 0\n$EndNodes\n" TET2)},
    {"the file ends before $EndElements", GMSH(HEAD2 NODES2 "$Elements\n1\n1 4 2 7 1 1 2 3 4\n")},
    {"a node of an element: it is truncated", GMSH(HEAD2 NODES2 "$Elements\n1\n1 4 2 7 1 1 2 3")},
    {"where a section such as $Nodes is expected", GMSH(HEAD2 NODES2 "1 2 3\n" TET2)},
    {"$EndNodes without its beginning", GMSH(HEAD2 "$EndNodes\n")},
    {"inside $EndPeriodic: it is truncated", GMSH(HEAD2 NODES2 TET2 "$Periodic\n0\n$EndPerodic\n")},
    {"a block of 1 elements with -1 tags", GMSH(HEAD2 NODES2 "$Elements\n1\n1 4 -1 1 2 3 4\n$EndElements\n")},
    {"99999999999 does not fit 32 bits", GMSH(HEAD2 NODES2 "$Elements\n1\n1 4 2 99999999999 1 1 2 3 4\n")},
    {"4 nodes were declared, but the blocks hold 2",
     GMSH(HEAD4 "$Nodes\n1 4 1 4\n3 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n")},
    {"1 elements were declared, but the blocks hold 0",
     GMSH(HEAD4 NODES4 "$Elements\n0 1 1 1\n$EndElements\n")},
    {"a block of nodes of dimension 5",
     GMSH(HEAD4 "$Nodes\n1 2 1 4\n5 1 0 2\n1\n2\n0.0000 0.0000 0.0000\n0 0 0\n")},
    {"a block of dimension 2 with elements of type 4 (tetrahedra)",
     GMSH(HEAD4 NODES4 "$Elements\n1 1 1 1\n2 1 4 1\n1 1 2 3 4\n$EndElements\n")},
    {"-5 blocks are declared", GMSH(HEAD4 NODES4 "$Elements\n-5 1 1 1\n2 1 4 1\n1 1 2 3 4\n$EndElements\n")},
    {"is in several physical groups", GMSH(HEAD4 "$Entities\n1 0 0 0\n1 0 0 0 2 5 6\n$EndEntities\n")},
    {"an entity is listed twice", GMSH(HEAD4 "$Entities\n2 0 0 0\n1 0 0 0 0\n1 0 0 0 0\n$EndEntities\n")},
    {"in version 4.1 only", GMSH(HEAD2 "$Entities\n0 0 0 0\n$EndEntities\n")},
    {"the name of a physical group must be in quotes",
     GMSH(HEAD2 "$PhysicalNames\n1\n3 1 wall\n$EndPhysicalNames\n")},
    {"has no end within", GMSH(HEAD2 "$PhysicalNames\n1\n3 1 \"wall\n$EndPhysicalNames\n")},
    {"4000000000 physical names are declared", GMSH(HEAD4 "$PhysicalNames\n4000000000\n")},
    {"`gmsh IN -save -format msh22 -o OUT.msh`", GMSH(HEAD4 "$PartitionedEntities\n")},
    {"the view \"fiber\" has 10 components",
     GMSH(HEAD2 NODES2 TET2 "$ElementData\n1\n\"fiber\"\n1\n0\n3\n0\n10\n1\n1 5\n$EndElementData\n")},
    {"a value for number 7, which does not exist",
     GMSH(HEAD2 NODES2 TET2 "$ElementData\n1\n\"fiber\"\n1\n0\n3\n0\n3\n1\n7 1 0 0\n$EndElementData\n")},
    {"the value of number 1 is not finite",
     GMSH(HEAD2 NODES2 TET2 "$ElementData\n1\n\"fiber\"\n1\n0\n3\n0\n3\n1\n1 1 0 inf\n$EndElementData\n")},
    {"comes before the elements",
     GMSH(HEAD2 NODES2 "$NodeData\n1\n\"fiber\"\n1\n0\n3\n0\n3\n1\n1 1 0 0\n$EndNodeData\n" TET2)},
    {"both be given at nodes or both at elements",
     GMSH(HEAD2 NODES2 TET2 "$ElementData\n1\n\"fiber\"\n1\n0\n3\n0\n3\n1\n1 1 0 0\n$EndElementData\n"
                            "$NodeData\n1\n\"sheet\"\n1\n0\n3\n0\n3\n1\n1 1 0 0\n$EndNodeData\n")},
};

/* Writes a text; an "@" at its end stands for a zero byte, which C strings cannot hold. */
static void write_input(const struct input *input)
{
    FILE *file = fopen(input->name, "wb");
    CHECK(file, "%s", input->name);
    for (const char *c = input->text; *c; c++)
        fputc(strcmp(c, "@") == 0 ? '\0' : *c, file);
    CHECK(fclose(file) == 0, "%s", input->name);
}

/* 1 and a line on stderr if the mesh is not refused with these words */
static int wrongly_read(const char *path, double scale, const char *words)
{
    struct error error = {0};
    struct mesh mesh = {0};
    struct mesh_notes notes;
    enum status status = mesh_read(&mesh, path, scale, NULL, &notes, &error);
    bool right = status == STATUS_INPUT && error.status == STATUS_INPUT && strstr(error.text, words);
    if (!right)
        fprintf(stderr, "%s: status %d, '%s' is not in: %s\n", path, (int)status, words, error.text);
    CHECK(!mesh.point && !mesh.vertex, "%s: a broken mesh was handed out", words);
    return !right;
}

static void expect_refused(const char *path, double scale, const char *words)
{
    CHECK(wrongly_read(path, scale, words) == 0, "see above");
}

static void test_table(void)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        const struct broken *broken = &meshes[i];
        for (int p = 0; p < 4 && broken->input[p].name; p++)
            write_input(&broken->input[p]);
        /* by the stem where that is known, so that a missing file is noticed */
        char path[16];
        bool carp = strstr(broken->input[0].name, ".pts") || strstr(broken->input[0].name, ".elem");
        bool gmsh = strstr(broken->input[0].name, ".msh") != NULL;
        snprintf(path, sizeof path, "m%s", carp ? ".pts" : gmsh ? ".msh" : ".node");
        wrong += wrongly_read(path, 1, broken->words);
        for (int p = 0; p < 4 && broken->input[p].name; p++)
            unlink(broken->input[p].name);
    }
    CHECK(wrong == 0, "%d broken meshes with a wrong verdict", wrong);
    printf("%zu broken meshes refused\n", sizeof meshes / sizeof meshes[0]);
}

/* Prefixes of a good file are refused, unless they end behind all that the mesh needs. */
static void test_truncated_gmsh(struct sample sample)
{
    struct mesh mesh = {0};
    mesh = mesh_sample_odd(3, LOCATION_ELEMENT, 0);
    mesh.elements = 3;
    sample.file = fopen("t.msh", "wb");
    CHECK(sample.file, "t.msh");
    gmsh_sample(&sample, &mesh);
    long size = ftell(sample.file);
    fclose(sample.file);
    int refused = 0;
    for (long cut = size - 1; cut > 0; cut -= 31) {
        struct error error = {0};
        struct mesh read = {0};
        CHECK(truncate("t.msh", cut) == 0, "truncate");
        refused += mesh_load(&read, "t.msh", 1, NULL, NULL, &error) == STATUS_INPUT;
        mesh_free(&read);
    }
    CHECK(refused >= size / 31 - 4, "%d of %ld refused", refused, size / 31);
    mesh_free(&mesh);
}

static void test_gzip(void)
{
    struct error error = {0};
    struct text_writer writer;
    struct mesh mesh = {0};
    struct stat info;
    mesh = mesh_sample_odd(3, LOCATION_NONE, 0);
    CHECK_OK(mesh_write(&mesh, "z.msh.gz", false, &error), error);
    CHECK(stat("z.msh.gz", &info) == 0 && truncate("z.msh.gz", info.st_size / 2) == 0, "truncate");
    expect_refused("z.msh.gz", 1, "the file is truncated");
    CHECK_OK(mesh_write(&mesh, "z.msh.gz", true, &error), error);
    FILE *file = fopen("z.msh.gz", "r+b");
    CHECK(file && fseek(file, info.st_size / 2, SEEK_SET) == 0, "z.msh.gz");
    for (int i = 0; i < 40; i++)
        fputc(0x55, file);
    fclose(file);
    expect_refused("z.msh.gz", 1, "z.msh.gz:");
    CHECK_OK(text_writer_open(&writer, "bomb", ".node", true, &error), error);
    for (int i = 0; i < 250000; i++) /* 20 MB of line ends become 20 kB */
        text_writer_text(&writer,
                         "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"
                         "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
    CHECK_OK(text_writer_close(&writer, &error), error);
    expect_refused("bomb.node.gz", 1, "decompresses to more than 1000 times its size");
    CHECK_OK(text_writer_open(&writer, "long", ".node", false, &error), error);
    for (int i = 0; i < 100000; i++)
        text_writer_text(&writer, "1234567890");
    CHECK_OK(text_writer_close(&writer, &error), error);
    expect_refused("long.node", 1, "long.node:1: the line is longer than");
    mesh_free(&mesh);
}

static void test_names(void)
{
    write_input(&(struct input){"m.xyz", "hello\n"});
    write_input(&(struct input){"two.node", NODES});
    write_input(&(struct input){"two.pts", PTS});
    CHECK(mkdir("folder.msh", 0777) == 0, "folder.msh");
    char path[5000];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    expect_refused("m.xyz", 1, "not a known mesh format; meshes are read from .msh, .node");
    expect_refused("missing", 1, "no such mesh");
    expect_refused("missing.msh", 1, "missing.msh: No such file");
    expect_refused("two", 1, "both .node and .pts exist");
    expect_refused("folder.msh", 1, "this is a directory");
    expect_refused(path, 1, "the path is longer");
    expect_refused("two.node", 0, "have no unit of length");
    expect_refused("two.node", -1, "not a positive length");
    expect_refused("two.node", NAN, "not a positive length");
    expect_refused("none.vtkhdf", 1, "none.vtkhdf");
    expect_refused("none.vtkhdf.gz", 1, "cannot be gzipped");
    if (access("/dev/zero", R_OK) == 0) {
        CHECK(symlink("/dev/zero", "zero.msh") == 0, "symlink");
        expect_refused("zero.msh", 1, "not a regular file");
    }
}

int main(void)
{
    char directory[] = "mesh-broken-XXXXXX", command[64];
    CHECK(mkdtemp(directory) && chdir(directory) == 0, "no directory");
    test_table();
    for (int version = 2; version <= 4; version += 2)
        for (int binary = 0; binary < 2; binary++)
            test_truncated_gmsh((struct sample){NULL, version, binary, 0});
    test_gzip();
    test_names();
    CHECK(chdir("..") == 0, "chdir");
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command) != 0;
}
