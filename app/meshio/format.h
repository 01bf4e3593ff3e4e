/* format.h: what the readers and writers of mesh formats share; only app/mesh_*.c include it. */
#ifndef CARDIAC_APP_MESHIO_FORMAT_H
#define CARDIAC_APP_MESHIO_FORMAT_H

#include "app/meshio/builder.h"
#include "app/meshio/mesh_file.h"
#include "app/util/text_file.h"

enum { MESH_PATH = 4096 };

/* Where the files of one mesh lie: stem + extension, with ".gz" behind it or not. */
struct mesh_place {
    char stem[MESH_PATH];
    bool gzipped; /* the file that the user named ends in .gz: look there first */
};

/* path <- the file stem.extension or stem.extension.gz; false if neither exists (path then is what the user
 * named) */
bool mesh_sibling(char path[MESH_PATH + 16], const struct mesh_place *place, const char *extension);

/* *index <- the next word as a node index counted from `base`, checked against `nodes` */
enum status mesh_node_index(struct text_file *text, int32_t *index, int64_t base, int64_t nodes,
                            struct error *error);
/* *tag <- the next word as a region tag */
enum status mesh_region_tag(struct text_file *text, int32_t *tag, struct error *error);
/* Checks a count that the file claims against what the rest of it can hold at item_bytes each. */
enum status mesh_claimed_count(struct text_file *text, int64_t count, int item_bytes, const char *what,
                               struct error *error);
/* fiber[3] and, unless NULL, sheet[3] <- the next words, finite */
enum status mesh_directions(struct text_file *text, double *fiber, double *sheet, struct error *error);
/* notes->ignored += name */
void mesh_note_ignored(struct mesh_notes *notes, const char *name);

enum status tetgen_read(struct mesh_builder *builder, const struct mesh_place *place, struct length_unit unit,
                        struct mesh_notes *notes, struct error *error);
enum status gmsh_read(struct mesh_builder *builder, const struct mesh_place *place, struct length_unit unit,
                      struct mesh_notes *notes, struct error *error);
enum status opencarp_read(struct mesh_builder *builder, const struct mesh_place *place,
                          struct length_unit unit, struct mesh_notes *notes, struct error *error);

enum status result_read(struct mesh_builder *builder, const struct mesh_place *place, struct length_unit unit,
                        struct mesh_notes *notes, struct error *error);

enum status tetgen_write(const struct mesh *mesh, const struct mesh_place *place, struct error *error);
enum status gmsh_write(const struct mesh *mesh, const struct mesh_place *place, struct error *error);
enum status opencarp_write(const struct mesh *mesh, const struct mesh_place *place, struct error *error);
enum status result_write(const struct mesh *mesh, const struct mesh_place *place, struct error *error);

#endif
