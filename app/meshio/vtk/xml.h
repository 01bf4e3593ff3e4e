/* xml.h: the little of XML that VTK's files are: tags with attributes, and text between them.
 *
 * No entities but the five and numbers, no DTD, no CDATA, no namespaces. Characters come one by one, since
 * behind <AppendedData encoding="raw"> a file is no XML any more. */
#ifndef CARDIAC_APP_MESHIO_VTK_XML_H
#define CARDIAC_APP_MESHIO_VTK_XML_H

#include "app/util/text_file.h"

enum { XML_TEXT = 8192, XML_ATTRIBUTES = 40 };

struct xml_tag {
    char name[64];
    bool opens, closes; /* <a>, </a>; both for <a/>; none at the end of the file */
    int attributes;
    struct {
        const char *name, *value; /* in `text` */
    } attribute[XML_ATTRIBUTES];
    char text[XML_TEXT];
};

/* *tag <- the next tag; comments, the head and what stands before it are left out. Its "<" is read already
 * where `inside` is set. STATUS_INPUT where not valid XML. */
enum status xml_next(struct xml_tag *tag, struct text_file *text, bool inside, struct error *error);

/* The value of an attribute, NULL if there is none */
const char *xml_value(const struct xml_tag *tag, const char *name);

#endif
