/* digest.h: what stands in a file, in 64 digits. */
#ifndef CARDIAC_APP_IO_STORE_DIGEST_H
#define CARDIAC_APP_IO_STORE_DIGEST_H

#include "app/util/sha256.h"
#include "kernels/base/error.h"

/* hex <- of the file's bytes. Errors: STATUS_INPUT when it cannot be read. */
enum status digest_file(const char *path, char hex[SHA256_HEX], struct error *error);

#endif
