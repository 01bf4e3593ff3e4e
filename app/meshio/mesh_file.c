/* mesh_file.c: chooses the format of a mesh file by its name. A new format is a file with its reader and
 * writer, and its name in the list here. */
#include "app/meshio/mesh_file.h"

#include "app/io/store/digest.h"
#include "app/meshio/format.h"
#include "app/meshio/builder.h"
#include "app/meshio/mesh_report.h"
#include "app/util/cache.h"
#include "app/util/own_file.h"
#include "app/util/path.h"
#include "app/util/watch.h"
#include "kernels/base/array.h"
#include "kernels/base/printed.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every format once */
static const struct mesh_format *const formats[] = {
    &format_gmsh, &format_tetgen, &format_opencarp, &format_vtkhdf, &format_vtk, &format_vtu, &format_vtp};

enum { FORMATS = sizeof formats / sizeof formats[0] };

/* The format of an extension at path's end, NULL if there is none; *length <- of path without it. */
static const struct mesh_format *format_of_name(const char *path, size_t *length)
{
    *length = strlen(path);
    for (int f = 0; f < FORMATS; f++)
        for (int e = 0; e < FORMAT_EXTENSIONS && formats[f]->extension[e]; e++)
            if (path_ends_in(path, formats[f]->extension[e])) {
                *length -= strlen(formats[f]->extension[e]);
                return formats[f];
            }
    return NULL;
}

/* list[200] <- the extensions that are read, or written, for messages: ".node, .ele, ..." */
static const char *all_extensions(char *list, bool written)
{
    list[0] = '\0';
    for (int f = 0; f < FORMATS; f++)
        for (int e = 0; e < FORMAT_EXTENSIONS && (formats[f]->write || !written) && formats[f]->extension[e];
             e++)
            printed_item(list, 200, "%s", formats[f]->extension[e]);
    return list;
}

/* Medit's files have the extension of MFEM's, which begin with their name. */
static bool is_of_mfem(const char *path)
{
    char begin[4] = {0};
    FILE *file = fopen(path, "r");
    const bool is = file && fread(begin, 1, sizeof begin, file) == sizeof begin &&
                    memcmp(begin, "MFEM", sizeof begin) == 0;
    if (file)
        fclose(file);
    return is;
}

/* text <- how to convert a file of another format, by its extension */
static const char *way_of_foreign(char text[400], const char *path)
{
    static const struct {
        const char *extensions, *way;
    } foreign[] = {
        {".inp .mesh .meshb .fem .stl .ply .off .obj .su2 .xdmf .xmf .xml .e .exo .ex2 .med .cgns "
         ".avs .mdpa "
         ".vol .post .dat .h5m .hmf .f3grid ",
         FORMAT_BY_MESHIO},
        {".bdf .nas ", FORMAT_BY_MESHIO "; Gmsh's own: " FORMAT_BY_GMSH},
        {".unv .ply2 ", FORMAT_BY_GMSH},
        {".vti .vtr .vts .pvtu .pvtp ", FORMAT_BY_PYVISTA},
        {".vtm .vtmb .pvd .case ", FORMAT_BY_PYVISTA_AS("combine()")},
        {".igb ", FORMAT_OF_IGB},
    };
    const char *dot = strrchr(path, '.');
    char word[16], list[200];
    if (dot && snprintf(word, sizeof word, "%s ", dot) < (int)sizeof word)
        for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++)
            if (strstr(foreign[k].extensions, word)) {
                snprintf(text, 400, "meshes are not read from %.10s; %s", dot,
                         strcmp(dot, ".mesh") == 0 && is_of_mfem(path) ? FORMAT_BY_MFEM : foreign[k].way);
                return text;
            }
    snprintf(text, 400, "not a known mesh format; meshes are read from %s, plain or .gz",
             all_extensions(list, false));
    return text;
}

/* *found <- the format of the mesh whose files start with files->stem, by looking for them */
static enum status format_of_stem(const struct mesh_format **found, const struct format_files *files,
                                  struct error *error)
{
    char sibling[FORMAT_PATH + 16], text[400];
    *found = NULL;
    for (int f = 0; f < FORMATS; f++) {
        if (!format_sibling(sibling, files, formats[f]->extension[0]))
            continue;
        if (*found)
            return error_set(error, STATUS_INPUT, "%s: both %s and %s exist; name one of them", files->stem,
                             (*found)->extension[0], formats[f]->extension[0]);
        *found = formats[f];
    }
    if (*found)
        return STATUS_OK;
    if (access(files->stem, F_OK) == 0)
        return error_set(error, STATUS_INPUT, "%s: %s", files->stem, way_of_foreign(text, files->stem));
    return error_set(error, STATUS_INPUT, "%s: no such mesh; meshes are read from %s, plain or .gz",
                     files->stem, all_extensions(text, false));
}

/* *format, *files <- by path's extension; if it is unknown, *format is NULL and the stem the whole path */
static enum status split_path(const struct mesh_format **format, struct format_files *files, const char *path,
                              struct error *error)
{
    size_t length = strlen(path);
    if (length >= FORMAT_PATH)
        return error_set(error, STATUS_INPUT, "%.40s...: the path is longer than %d bytes", path,
                         FORMAT_PATH);
    *files = (struct format_files){.gzipped = path_ends_in(path, ".gz")};
    snprintf(files->stem, sizeof files->stem, "%s", path);
    if (files->gzipped)
        files->stem[length - 3] = '\0';
    *format = format_of_name(files->stem, &length);
    if (*format) {
        files->stem[length] = '\0';
        return STATUS_OK;
    }
    snprintf(files->stem, sizeof files->stem, "%s", path);
    files->gzipped = false;
    return STATUS_OK;
}

static enum status read_format(struct mesh *mesh, const struct mesh_format *format,
                               const struct format_files *files, const char *path, double scale_mm,
                               const struct array_selection *selection, struct mesh_notes *notes,
                               struct error *error)
{
    struct mesh_builder builder = {.selection = selection};
    enum status status;
    TRY_DONE(format->read(&builder, files, length_unit(scale_mm), notes, error));
    if (builder.elements == 0)
        TRY_DONE(error_set(error, STATUS_INPUT, "%s: the mesh has no lines, triangles or tetrahedra",
                           files->stem));
    TRY_DONE(lower_marks(&builder, notes, path, error));
    for (int d = 0; d < 3; d++)
        notes->dropped[d] = d ? builder.lower[d].count : builder.points;
    builder_finish(&builder, mesh);
done:
    builder_free(&builder);
    return status;
}

enum status mesh_load(struct mesh *mesh, const char *path, double scale_mm,
                      const struct array_selection *selection, struct mesh_notes *notes, struct error *error)
{
    static const struct array_selection nothing = {0};
    struct mesh read = {0};
    struct mesh_notes own;
    struct format_files files;
    const struct mesh_format *format;
    notes = notes ? notes : &own;
    *notes = (struct mesh_notes){0};
    watch_now("reading %s", path);
    TRY(split_path(&format, &files, path, error));
    if (!format)
        TRY(format_of_stem(&format, &files, error));
    if (scale_mm == 0)
        scale_mm = format->scale_mm;
    if (scale_mm == 0 && access(path, F_OK) != 0)
        return error_system(error, STATUS_INPUT, errno, "%s", path);
    if (scale_mm == 0)
        return error_set(error, STATUS_INPUT,
                         "%s: %s meshes have no unit of length; add scale: 1 mm if it is in millimetres",
                         path, format->name);
    if (!(scale_mm > 0) || !isfinite(scale_mm))
        return error_set(error, STATUS_INPUT, "%s: the scale %.15g mm is not a positive length", path,
                         scale_mm);
    selection = selection ? selection : &nothing;
    files.inputs = selection->inputs;
    TRY(read_format(&read, format, &files, path, scale_mm, selection, notes, error));
    enum status status = array_selection_apply(selection, &read, path, error);
    if (status)
        mesh_free(&read);
    else
        *mesh = read;
    return status;
}

/* mesh_check(), or its cached result for the same mesh unless it turned elements. *blocks <- of the mesh, if its
 * digest was computed. */
static enum status check_mesh(struct mesh *mesh, struct mesh_health *health, struct digest_blocks *blocks,
                              struct error *error)
{
    enum { LEAST = 100000 }; /* elements; below, the check is as fast as the cache */
    char digest[SHA256_HEX], program[SHA256_HEX], name[CACHE_NAME];
    struct cache folder;
    size_t size = 0;
    if (mesh->elements < LEAST || !cache_program(program) || cache_open(&folder, NULL))
        return mesh_check(mesh, health, error);
    digest_blocks_make(blocks, mesh);
    digest_mesh(mesh, blocks, digest);
    const struct cache_input key_input[] = {CACHE_TEXT(program), CACHE_TEXT(digest)};
    cache_name(name, "health", key_input, sizeof key_input / sizeof *key_input);
    void *known = cache_read(&folder, name, &size);
    const bool found = known && size == sizeof *health;
    enum status status = STATUS_OK;
    if (found)
        memcpy(health, known, sizeof *health);
    else
        status = mesh_check(mesh, health, error);
    if (!status && !found && health->turned == 0)
        cache_write(&folder, name, health, sizeof *health, NULL);
    if (status || health->turned > 0)
        digest_blocks_free(blocks);
    free(known);
    cache_close(&folder);
    return status;
}

enum status mesh_read(struct mesh *mesh, const char *path, double scale_mm,
                      const struct array_selection *selection, struct mesh_notes *notes, struct error *error)
{
    struct mesh_notes own;
    struct mesh read = {0};
    struct error fault = {0};
    struct digest_blocks blocks = {0};
    enum status status;
    notes = notes ? notes : &own;
    TRY(mesh_load(&read, path, scale_mm, selection, notes, error));
    TRY_DONE(check_mesh(&read, &notes->health, &blocks, error));
    status = mesh_health_verdict(&notes->health, &fault);
    if (status)
        error_set(error, status, "%s: %s", path, fault.text);
done:
    if (!status && selection && selection->blocks)
        *selection->blocks = blocks;
    else
        digest_blocks_free(&blocks);
    if (status)
        mesh_free(&read);
    else
        *mesh = read;
    return status;
}

/* The files of a mesh that will be replaced */
struct old_files {
    char path[2 * FORMAT_EXTENSIONS][FORMAT_PATH + 24];
    struct stat is[2 * FORMAT_EXTENSIONS];
    int count, first; /* of them have the extension that each mesh of the format has */
};

/* old <- all that exist; an error without overwrite */
static enum status find_old(struct old_files *old, const struct mesh_format *format,
                            const struct format_files *files, bool overwrite, struct error *error)
{
    old->count = old->first = 0;
    for (int e = 0; e < 2 * FORMAT_EXTENSIONS && format->extension[e / 2]; e++) {
        char *path = old->path[old->count];
        snprintf(path, sizeof old->path[0], "%s%s%s", files->stem, format->extension[e / 2],
                 e % 2 == files->gzipped ? "" : ".gz");
        if (lstat(path, &old->is[old->count]))
            continue;
        if (!overwrite)
            return error_set(error, STATUS_INPUT, "%s exists; --overwrite replaces it", path);
        TRY(own_file_claim(path, "", "remove it, or name another file", error));
        old->count++;
        old->first += e < 2;
    }
    return STATUS_OK;
}

/* Removes those of old->path[0 .. count) that no new file has replaced, so that none is left over. */
static enum status remove_old(const struct old_files *old, int count, struct error *error)
{
    struct stat is;
    for (int k = 0; k < count; k++)
        if (lstat(old->path[k], &is) == 0 && is.st_dev == old->is[k].st_dev &&
            is.st_ino == old->is[k].st_ino && unlink(old->path[k]))
            return error_set(error, STATUS_RUN, "%s: %s", old->path[k], strerror(errno));
    return STATUS_OK;
}

/* Removes old files and renames new ones in an order that never leaves a mixture: if interrupted at any point, there is
 * the old mesh, the new one, or none. status: of writing; after an error the old mesh remains. */
static enum status replace_files(struct format_written *written, const struct old_files *old,
                                 enum status status, struct error *error)
{
    for (int k = 0; k < written->count && !status; k++)
        status = own_file_sync(&written->file[k], error);
    if (!status && written->count > 0 && old->first > 0) {
        status = remove_old(old, old->first, error);
        if (!status)
            status = own_file_sync_name(old->path[0], error);
    }
    for (int k = written->count - 1; k >= 0; k--) {
        if (k == 0 && !status)
            status = remove_old(old, old->count, error);
        status = own_file_end(&written->file[k], status, error);
    }
    return status || written->count > 0 ? status : remove_old(old, old->count, error);
}

bool mesh_replaces(const char *path, const char *input)
{
    struct format_files files;
    const struct mesh_format *format;
    char sibling[FORMAT_PATH + 16];
    bool same = false;
    if (split_path(&format, &files, path, NULL) || !format)
        return false;
    for (int e = 0; e < FORMAT_EXTENSIONS && format->extension[e]; e++)
        same =
            same || (format_sibling(sibling, &files, format->extension[e]) && own_file_same(sibling, input));
    return same;
}

/* Whether a field has the name under which we write the mesh's own tags or directions */
static bool is_own(const struct mesh *mesh, const struct mesh_field *field)
{
    if (strcmp(field->name, "region") == 0)
        return field->location == LOCATION_ELEMENT;
    return field->location == mesh->fiber_location &&
           (strcmp(field->name, "fiber") == 0 || (mesh->sheet && strcmp(field->name, "sheet") == 0));
}

void mesh_left_out(const struct mesh *mesh, const char *path, char text[1000])
{
    struct format_files files;
    const struct mesh_format *format;
    text[0] = '\0';
    if (split_path(&format, &files, path, NULL) || !format)
        return;
    if (mesh->faces && !format->faces)
        printed_item(text, 1000, "the marked faces");
    for (int k = 0; k < mesh->names.count && !format->names; k++)
        printed_item(text, 1000, "the name %.80s", mesh->names.item[k].name);
    for (int f = 0; f < mesh->fields.count; f++)
        if (mesh->fields.item[f].value && (!format->fields || is_own(mesh, mesh->fields.item + f)))
            printed_item(text, 1000, "the array %.80s", mesh->fields.item[f].name);
}

enum status mesh_write(const struct mesh *mesh, const char *path, bool overwrite, struct error *error)
{
    struct format_files files;
    const struct mesh_format *format;
    struct old_files old;
    struct format_written parts = {.count = 0};
    char list[200];
    enum status status = STATUS_OK;
    TRY(split_path(&format, &files, path, error));
    if (!format || !format->write)
        return error_set(error, STATUS_INPUT, "%s: %s; meshes are written to %s, plain or .gz", path,
                         format ? "this format is only read" : "unknown mesh format",
                         all_extensions(list, true));
    TRY(find_old(&old, format, &files, overwrite, error));
    struct mesh written = *mesh; /* will lack the fields that are not written */
    written.fields = (struct mesh_fields){
        .item = array_new(mesh->fields.count, sizeof *written.fields.item, "the arrays", &status, error)};
    if (status)
        goto done;
    for (int f = 0; f < mesh->fields.count; f++)
        if (mesh->fields.item[f].value && !is_own(mesh, mesh->fields.item + f))
            written.fields.item[written.fields.count++] = mesh->fields.item[f];
    files.written = &parts;
    status = replace_files(&parts, &old, format->write(&written, &files, error), error);
done:
    free(written.fields.item);
    return status;
}
