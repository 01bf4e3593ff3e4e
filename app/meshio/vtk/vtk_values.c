/* vtk_values.c: numbers out of bytes and words, checked. */
#include "app/meshio/vtk/vtk_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/meshio/builder.h"

struct kind {
    const char *name[3];
    int bytes;
};

static const struct kind kinds[] = {
    [VTK_INT8] = {{"Int8", "char", "vtktypeint8"}, 1},
    [VTK_UINT8] = {{"UInt8", "unsigned_char", "vtktypeuint8"}, 1},
    [VTK_INT16] = {{"Int16", "short", "vtktypeint16"}, 2},
    [VTK_UINT16] = {{"UInt16", "unsigned_short", "vtktypeuint16"}, 2},
    [VTK_INT32] = {{"Int32", "int", "vtktypeint32"}, 4},
    [VTK_UINT32] = {{"UInt32", "unsigned_int", "vtktypeuint32"}, 4},
    [VTK_INT64] = {{"Int64", "long", "vtktypeint64"}, 8},
    [VTK_UINT64] = {{"UInt64", "unsigned_long", "vtktypeuint64"}, 8},
    [VTK_FLOAT32] = {{"Float32", "float", "float"}, 4},
    [VTK_FLOAT64] = {{"Float64", "double", "double"}, 8},
};

bool vtk_number_find(enum vtk_number *number, const char *name)
{
    for (int k = VTK_INT8; k <= VTK_FLOAT64; k++)
        for (int i = 0; i < 3; i++)
            if (strcasecmp(name, kinds[k].name[i]) == 0) {
                *number = (enum vtk_number)k;
                return true;
            }
    *number = VTK_INT32; /* how legacy files have these */
    return strcasecmp(name, "vtkIdType") == 0;
}

int vtk_number_bytes(enum vtk_number number)
{
    return kinds[number].bytes;
}

static enum status put_real(struct vtk_values *values, double value, struct text_file *text,
                            struct error *error)
{
    if (values->target == VTK_COORDINATES && !isfinite(value))
        return text_error(text, error, "%s: number %lld is not finite", values->what,
                          (long long)values->count);
    enum status status = builder_grow(&values->value, &values->room, values->count, sizeof(double), error);
    if (!status)
        ((double *)values->value)[values->count++] = value;
    return status;
}

static enum status put_integer(struct vtk_values *values, int64_t value, struct text_file *text,
                               struct error *error)
{
    static const size_t size[] = {
        [VTK_NODES] = sizeof(int32_t), [VTK_COUNTS] = sizeof(int64_t), [VTK_TYPES] = sizeof(uint8_t)};
    int64_t most = values->target == VTK_NODES   ? values->limit - 1
                   : values->target == VTK_TYPES ? 255
                                                 : INT64_MAX;
    if (value < 0 || value > most)
        return text_error(text, error, "%s: number %lld is %lld; 0 to %lld is possible", values->what,
                          (long long)values->count, (long long)value, (long long)most);
    enum status status =
        builder_grow(&values->value, &values->room, values->count, size[values->target], error);
    if (status)
        return status;
    if (values->target == VTK_NODES)
        ((int32_t *)values->value)[values->count++] = (int32_t)value;
    else if (values->target == VTK_COUNTS)
        ((int64_t *)values->value)[values->count++] = value;
    else
        ((uint8_t *)values->value)[values->count++] = (uint8_t)value;
    return STATUS_OK;
}

static bool is_real(const struct vtk_values *values)
{
    return values->target == VTK_COORDINATES || values->target == VTK_REALS;
}

static enum status check_room(const struct vtk_values *values, struct text_file *text, struct error *error)
{
    return values->count < values->expected
               ? STATUS_OK
               : text_error(text, error, "%s: more than the %lld numbers that there should be", values->what,
                            (long long)values->expected);
}

/* The bytes as an integer whose highest bit is its sign, lowest byte last */
static uint64_t join(const unsigned char *bytes, int count, bool big)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[big ? i : count - 1 - i];
    return value;
}

static double real_of(enum vtk_number number, uint64_t bits)
{
    uint32_t half = (uint32_t)bits;
    float narrow;
    double wide;
    switch (number) {
    case VTK_FLOAT32:
        memcpy(&narrow, &half, sizeof narrow);
        return narrow;
    case VTK_FLOAT64:
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    default:
        return NAN;
    }
}

/* Sign-extended where the type has a sign; one of UInt64 beyond INT64_MAX is negative */
static int64_t integer_of(enum vtk_number number, uint64_t bits)
{
    int shift = 64 - 8 * kinds[number].bytes;
    bool sign = number == VTK_INT8 || number == VTK_INT16 || number == VTK_INT32;
    uint64_t high = bits << shift;
    return sign && high >> 63 ? (int64_t)(bits | (shift ? ~(uint64_t)0 << (64 - shift) : 0)) : (int64_t)bits;
}

enum status vtk_values_bytes(struct vtk_values *values, const unsigned char *bytes, struct text_file *text,
                             struct error *error)
{
    uint64_t bits = join(bytes, kinds[values->number].bytes, values->big);
    bool real = values->number >= VTK_FLOAT32;
    enum status status = check_room(values, text, error);
    if (status)
        return status;
    if (!is_real(values))
        return real ? text_error(text, error, "%s are of type %s, not whole numbers", values->what,
                                 kinds[values->number].name[0])
                    : put_integer(values, integer_of(values->number, bits), text, error);
    double value = real                           ? real_of(values->number, bits)
                   : values->number == VTK_UINT64 ? (double)bits
                                                  : (double)integer_of(values->number, bits);
    if (values->target == VTK_COORDINATES)
        value = length_unit_to_mm(value, values->unit);
    return put_real(values, value, text, error);
}

enum status vtk_values_word(struct vtk_values *values, const char *word, struct text_file *text,
                            struct error *error)
{
    int64_t integer;
    double real;
    const char *cursor = word;
    enum status status = check_room(values, text, error);
    if (status)
        return status;
    if (!is_real(values)) {
        if (!scan_integer(&cursor, &integer))
            return text_error(text, error, "%s: '%.40s' is not a whole number", values->what, word);
        return put_integer(values, integer, text, error);
    }
    bool length = values->target == VTK_COORDINATES;
    if (!scan_number(&cursor, length ? values->unit.shift : 0, &real))
        return text_error(text, error, "%s: '%.40s' is not a number", values->what, word);
    return put_real(values, length ? real * values->unit.factor : real, text, error);
}

void vtk_values_free(struct vtk_values *values)
{
    free(values->value);
    values->value = NULL;
}
