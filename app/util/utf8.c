/* utf8.c: one character after the other; overlong forms and surrogates are none. */
#include "app/util/utf8.h"

#include <stdint.h>

int utf8_length(const char *text)
{
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    unsigned first = *at++;
    int more = first < 0x80 ? 0 : first < 0xc0 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if (!first || more < 0 || first >= 0xf8)
        return 0;
    uint32_t code = more ? first & (0x3fu >> more) : first;
    for (int k = 0; k < more; k++) {
        if ((*at & 0xc0) != 0x80) /* the final zero is none either */
            return 0;
        code = code << 6 | (*at++ & 0x3fu);
    }
    bool good = code >= least[more] && code <= 0x10ffff && (code < 0xd800 || code >= 0xe000);
    return good ? more + 1 : 0;
}

bool utf8_is(const char *text)
{
    int length = 1;
    while (*text && (length = utf8_length(text)) > 0)
        text += length;
    return length > 0;
}
