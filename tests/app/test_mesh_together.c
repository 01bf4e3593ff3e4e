/* test_mesh_together.c: a mesh large enough for threads to share its files is read to the same bits by any
 * number of them, and a fault in the middle of a file has the place and the words that one thread gives it.
 */
#include "app/meshio/mesh_file.h"
#include "solver/mesh/generate.h"
#include "tests/support/check.h"

#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const double size[3] = {6, 6, 6}, spacing[3] = {0.2, 0.2, 0.2};

static struct mesh sample(void)
{
    struct error error = {0};
    struct mesh mesh = {0};
    CHECK_OK(mesh_slab(&mesh, size, spacing[0], &error), error);
    for (int64_t i = 0; i < 3 * mesh.nodes; i++)
        mesh.point[i] *= 1 + 1e-7 * (double)(i % 1013);
    for (int64_t e = 0; e < mesh.elements; e++)
        mesh.tag[e] = (int32_t)(e % 5);
    return mesh;
}

static void check_same(const struct mesh *a, const struct mesh *b, const char *path)
{
    CHECK(a->nodes == b->nodes && a->elements == b->elements, "%s: other counts", path);
    CHECK(memcmp(a->point, b->point, 3 * (size_t)a->nodes * sizeof *a->point) == 0, "%s: points", path);
    CHECK(memcmp(a->vertex, b->vertex, 4 * (size_t)a->elements * sizeof *a->vertex) == 0, "%s: nodes", path);
    CHECK(memcmp(a->tag, b->tag, (size_t)a->elements * sizeof *a->tag) == 0, "%s: tags", path);
}

static char *file_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    CHECK(file, "%s", path);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    CHECK(text && fread(text, 1, *length, file) == *length, "%s", path);
    text[*length] = '\0';
    fclose(file);
    return text;
}

static void put_file(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(text, 1, length, file) == length, "%s", path);
    fclose(file);
}

/* What is wrong with the mesh, by as many threads */
static void read_wrong(const char *path, int threads, struct error *error)
{
    struct mesh mesh = {0};
    omp_set_num_threads(threads);
    CHECK(mesh_read(&mesh, path, 1, NULL, NULL, error) == STATUS_INPUT, "%s is read", path);
}

/* `words` in the message of the mesh with text[at] replaced in one of its files */
static void check_fault(const char *file, const char *path, size_t at, char wrong, const char *words)
{
    struct error alone = {0}, together = {0};
    size_t length;
    char *text = file_text(file, &length), kept = text[at];
    text[at] = wrong;
    put_file(file, text, length);
    read_wrong(path, 1, &alone);
    read_wrong(path, 4, &together);
    CHECK(strcmp(alone.text, together.text) == 0, "%s, but by 4 threads: %s", alone.text, together.text);
    CHECK(strstr(together.text, words), "%s, not: %s", together.text, words);
    text[at] = kept;
    put_file(file, text, length);
    free(text);
}

/* The first byte of line `line`, from 1 */
static size_t line_begin(const char *text, int line)
{
    const char *at = text;
    while (--line > 0)
        at = strchr(at, '\n') + 1;
    return (size_t)(at - text);
}

/* Comments, blank lines and blanks among the rows */
static void spoil(const char *file)
{
    size_t length, used = 0;
    char *text = file_text(file, &length), *out = malloc(2 * length);
    int line = 1;
    for (size_t k = 0; k < length; k++) {
        out[used++] = text[k];
        if (text[k] != '\n' || ++line % 1000)
            continue;
        used += (size_t)sprintf(out + used, "# a comment\r\n\n \t\n  ");
    }
    put_file(file, out, used);
    free(text);
    free(out);
}

static void test_text(const char *directory, const struct mesh *mesh, const char *extension,
                      const char *elements, const char *words)
{
    char path[300], file[300], where[40];
    bool micrometres = strcmp(extension, ".pts") == 0;
    struct error error = {0};
    struct mesh read = {0};
    snprintf(path, sizeof path, "%s/m%s", directory, extension);
    snprintf(file, sizeof file, "%s/m%s", directory, elements);
    CHECK_OK(mesh_write(mesh, path, false, &error), error);
    spoil(path);
    for (int threads = 1; threads <= 4; threads += 3) {
        omp_set_num_threads(threads);
        CHECK_OK(mesh_read(&read, path, micrometres ? 0 : 1, NULL, NULL, &error), error);
        check_same(mesh, &read, path);
        mesh_free(&read);
    }
    size_t length;
    char *text = file_text(file, &length);
    for (int line = 90001; line < 90006; line += 4) {
        size_t at = line_begin(text, line) + strcspn(text + line_begin(text, line), " ") + 1;
        snprintf(where, sizeof where, ":%d:%d: ", line, (int)(at - line_begin(text, line)) + 1);
        check_fault(file, path, at, 'x', where);
        check_fault(file, path, at, 'x', words);
        check_fault(file, path, at, '\0', "a zero byte");
    }
    free(text);
}

/* Numbers as VTK writes them: blocks of `block` bytes compressed one by one */
static void put_array(FILE *file, const char *attributes, const void *values, size_t bytes, size_t block)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t blocks = (bytes + block - 1) / block, made = 0;
    uint32_t *head = calloc(blocks + 3, sizeof *head);
    unsigned char *packed = malloc(compressBound(block) * blocks);
    head[0] = (uint32_t)blocks, head[1] = (uint32_t)block, head[2] = (uint32_t)(bytes % block);
    for (size_t b = 0; b < blocks; b++) {
        size_t now = bytes - b * block < block ? bytes - b * block : block;
        uLongf room = compressBound(block);
        CHECK(compress2(packed + made, &room, (const unsigned char *)values + b * block, now, 1) == Z_OK,
              "%s", "compress");
        head[3 + b] = (uint32_t)room;
        made += room;
    }
    fprintf(file, "<DataArray %s format=\"binary\">\n", attributes);
    for (int piece = 0; piece < 2; piece++) {
        const unsigned char *from = piece ? packed : (const unsigned char *)head;
        size_t count = piece ? made : (blocks + 3) * sizeof *head;
        for (size_t k = 0; k < count; k += 3) {
            unsigned all = (unsigned)from[k] << 16 | (k + 1 < count ? (unsigned)from[k + 1] << 8 : 0) |
                           (k + 2 < count ? from[k + 2] : 0);
            fputc(digits[all >> 18], file);
            fputc(digits[all >> 12 & 63], file);
            fputc(k + 1 < count ? digits[all >> 6 & 63] : '=', file);
            fputc(k + 2 < count ? digits[all & 63] : '=', file);
        }
    }
    fprintf(file, "\n</DataArray>\n");
    free(head);
    free(packed);
}

static void write_compressed(const char *path, const struct mesh *mesh, size_t block)
{
    FILE *file = fopen(path, "wb");
    size_t elements = (size_t)mesh->elements;
    int64_t *end = malloc(elements * sizeof *end);
    uint8_t *type = malloc(elements);
    for (size_t e = 0; e < elements; e++) {
        end[e] = 4 * (int64_t)e + 4;
        type[e] = 10;
    }
    fprintf(file,
            "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"UInt32\" "
            "compressor=\"vtkZLibDataCompressor\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"%lld\" "
            "NumberOfCells=\"%lld\">\n<CellData>\n",
            (long long)mesh->nodes, (long long)mesh->elements);
    put_array(file, "type=\"Int32\" Name=\"region\"", mesh->tag, elements * 4, block);
    fprintf(file, "</CellData>\n<Points>\n");
    put_array(file, "type=\"Float64\" NumberOfComponents=\"3\"", mesh->point, 24 * (size_t)mesh->nodes,
              block);
    fprintf(file, "</Points>\n<Cells>\n");
    put_array(file, "type=\"Int32\" Name=\"connectivity\"", mesh->vertex, elements * 16, block);
    put_array(file, "type=\"Int64\" Name=\"offsets\"", end, elements * 8, block);
    put_array(file, "type=\"UInt8\" Name=\"types\"", type, elements, block);
    fprintf(file, "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    fclose(file);
    free(end);
    free(type);
}

static void test_vtu(const char *directory, const struct mesh *mesh, size_t block)
{
    char path[300];
    struct error error = {0};
    struct mesh read = {0};
    size_t length;
    snprintf(path, sizeof path, "%s/b%d.vtu", directory, (int)block);
    if (block)
        write_compressed(path, mesh, block);
    else
        CHECK_OK(mesh_write(mesh, path, false, &error), error);
    for (int threads = 1; threads <= 4; threads += 3) {
        omp_set_num_threads(threads);
        CHECK_OK(mesh_read(&read, path, 1, NULL, NULL, &error), error);
        check_same(mesh, &read, path);
        mesh_free(&read);
    }
    char *text = file_text(path, &length);
    const char *nodes = strstr(text, "connectivity");
    size_t at = (size_t)(strchr(nodes, '>') - text) + 100003;
    CHECK(at < length, "%s is short", path);
    check_fault(path, path, at, '*', "the cells' nodes: not base64");
    if (block) { /* what zlib itself does not like, whatever it says */
        check_fault(path, path, at, text[at] == 'A' ? 'B' : 'A', "the cells' nodes");
    } else { /* a whole node that is not there: 4 bytes of 0xff from the first group on */
        for (int k = 0; k < 8; k++)
            text[at + (size_t)k] = '/';
        put_file(path, text, length);
        check_fault(path, path, at, '/', "the cells' nodes: number ");
    }
    free(text);
}

int main(void)
{
    char directory[] = "/tmp/cardiac-together-XXXXXX", command[60];
    CHECK(mkdtemp(directory), "a directory");
    struct mesh mesh = sample();
    CHECK(mesh.elements > 100000, "%lld elements are too few", (long long)mesh.elements);
    test_text(directory, &mesh, ".node", ".ele", "a node of the element");
    test_text(directory, &mesh, ".pts", ".elem", "a node of the element");
    test_vtu(directory, &mesh, 0);
    test_vtu(directory, &mesh, 32768);
    test_vtu(directory, &mesh, 1001);
    mesh_free(&mesh);
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command) != 0;
}
