/* parser.h: parses all lines of a text. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_PARSER_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_PARSER_H

#include "kernels/compiler/language/tree.h"

/* Parses the text and resolves every name; memory comes from the arena. */
enum status mmt_parser_read(struct mmt_tree *tree, struct arena *arena, const char *text, size_t bytes,
                            const char *file, struct error *error);

#endif
