/* cursor.h: the present token of a text that is read, and what is expected there. */
#ifndef CARDIAC_KERNELS_COMPILER_LANGUAGE_CURSOR_H
#define CARDIAC_KERNELS_COMPILER_LANGUAGE_CURSOR_H

#include "kernels/compiler/language/tree.h"

/* Each does nothing once tree->status is set. */
struct mmt_token *mmt_cursor_now(struct mmt_tree *tree);
void mmt_cursor_next(struct mmt_tree *tree);
/* Whether the token is that sign */
bool mmt_cursor_at(struct mmt_tree *tree, int sign);
/* tree->status <- that something else stands here than `what` */
void mmt_cursor_expected(struct mmt_tree *tree, const char *what);
/* These pass what they take; a name is "" on failure, a unit not given. */
void mmt_cursor_sign(struct mmt_tree *tree, int sign, const char *what);
const char *mmt_cursor_name(struct mmt_tree *tree, const char *what);
struct mmt_unit mmt_cursor_unit(struct mmt_tree *tree);
void mmt_cursor_end_of_line(struct mmt_tree *tree);

#endif
