/* gmsh_file.c: a .msh file, section by section. Physical groups become region tags (0 = in none). */
#include "app/meshio/gmsh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct section {
    const char *name;
    enum status (*read)(struct gmsh *, struct error *); /* NULL: means nothing to us and is left out */
};

static const struct section sections[] = {
    {"$MeshFormat", gmsh_read_format},  {"$Entities", gmsh_read_entities},
    {"$Nodes", gmsh_read_nodes},        {"$Elements", gmsh_read_elements},
    {"$NodeData", gmsh_read_node_data}, {"$ElementData", gmsh_read_element_data},
    {"$PhysicalNames", NULL},           {"$Comments", NULL},
};

/* A section that the table does not know, or that has no reader */
static enum status leave_out(struct gmsh *gmsh, const char *name, bool known, struct error *error)
{
    char end[48];
    if (strncmp(name, "$End", 4) == 0)
        return text_error(&gmsh->text, error, "%s without its beginning", name);
    if (strcmp(name, "$PartitionedEntities") == 0)
        return text_error(&gmsh->text, error,
                          "a partitioned mesh cannot be read; save it without partitions");
    if (!known)
        mesh_note_ignored(gmsh->notes, name);
    snprintf(end, sizeof end, "$End%s", name + 1);
    return gmsh_skip(gmsh, end, error);
}

static enum status read_section(struct gmsh *gmsh, struct error *error)
{
    char name[40];
    const char *place = gmsh->text.cursor;
    text_word(&gmsh->text, name, sizeof name);
    bool format = strcmp(name, "$MeshFormat") == 0;
    gmsh->text.cursor = place;
    if (format == (gmsh->version != 0))
        return text_error(&gmsh->text, error,
                          format ? "a second $MeshFormat section"
                                 : "this is no Gmsh file: it does not start with $MeshFormat");
    if (name[0] != '$')
        return text_error(&gmsh->text, error, "'%s' where a section like $Nodes is due", name);
    text_word(&gmsh->text, name, sizeof name);
    enum status status = text_end_of_line(&gmsh->text, error);
    if (status)
        return status;
    for (size_t s = 0; s < sizeof sections / sizeof sections[0]; s++)
        if (strcmp(name, sections[s].name) == 0)
            return sections[s].read ? sections[s].read(gmsh, error) : leave_out(gmsh, name, true, error);
    return leave_out(gmsh, name, false, error);
}

static enum status read_sections(struct gmsh *gmsh, struct error *error)
{
    for (;;) {
        bool more;
        enum status status = text_line(&gmsh->text, &more, error);
        if (status)
            return status;
        if (!more)
            break;
        if (text_has_word(&gmsh->text) && (status = read_section(gmsh, error)))
            return status;
    }
    if (gmsh->nodes.count == 0 || gmsh->elements.count == 0)
        return text_error(&gmsh->text, error, "the file has no %s section",
                          gmsh->nodes.count == 0 ? "$Nodes" : "$Elements");
    return STATUS_OK;
}

enum status gmsh_read(struct mesh_builder *builder, const struct mesh_place *place, struct length_unit unit,
                      struct mesh_notes *notes, struct error *error)
{
    char path[MESH_PATH + 16];
    struct gmsh gmsh = {.builder = builder, .notes = notes, .unit = unit};
    snprintf(notes->format, sizeof notes->format, "Gmsh");
    mesh_sibling(path, place, ".msh");
    enum status status = text_open(&gmsh.text, path, error);
    if (!status)
        status = read_sections(&gmsh, error);
    text_close(&gmsh.text);
    number_map_free(&gmsh.nodes);
    number_map_free(&gmsh.elements);
    number_map_free(&gmsh.entities);
    free(gmsh.physical);
    return status;
}
