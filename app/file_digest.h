/* file_digest.h: what stands in a file, in 64 digits. */
#ifndef CARDIAC_APP_FILE_DIGEST_H
#define CARDIAC_APP_FILE_DIGEST_H

#include "app/sha256.h"
#include "kernels/error.h"

/* hex <- of the file's bytes. Errors: STATUS_INPUT when it cannot be read. */
enum status file_digest(const char *path, char hex[SHA256_HEX], struct error *error);

#endif
