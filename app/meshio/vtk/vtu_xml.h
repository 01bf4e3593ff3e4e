/* vtu_xml.h: the little of XML that VTK's files are: tags with attributes, and what stands between them.
 *
 * No entities but the five and numbers, no DTD, no CDATA, no namespaces. Characters come one by one, since
 * behind <AppendedData encoding="raw"> a file is no XML any more. */
#ifndef CARDIAC_APP_MESHIO_VTK_VTU_XML_H
#define CARDIAC_APP_MESHIO_VTK_VTU_XML_H

#include <stdbool.h>

#include "app/util/text_file.h"

enum { VTU_XML_TEXT = 8192, VTU_XML_ATTRIBUTES = 40 };

struct vtu_xml {
    char name[64];
    bool opens, closes; /* <a>, </a>; both for <a/>; none at the end of the file */
    int attributes;
    struct {
        const char *name, *value; /* in `text` */
    } attribute[VTU_XML_ATTRIBUTES];
    char text[VTU_XML_TEXT];
};

/* *tag <- the next tag; comments, the head and what stands before it are left out. Its "<" is read already
 * where `inside` is set. STATUS_INPUT where this is no XML. */
enum status vtu_xml_next(struct vtu_xml *tag, struct text_file *text, bool inside, struct error *error);
/* The value of an attribute, NULL if there is none */
const char *vtu_xml_value(const struct vtu_xml *tag, const char *name);

#endif
