/* test_sha256.c: the test vectors of FIPS 180-4's examples, and every way to cut a message. */
#include "kernels/base/sha256.h"

#include <string.h>

#include "tests/support/check.h"

static void known(const char *message, const char *want)
{
    char hex[SHA256_HEX];
    sha256_of(message, strlen(message), hex);
    CHECK(strcmp(hex, want) == 0, "of '%s': %s", message, hex);
}

int main(void)
{
    known("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    known("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    known("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    known(
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnop"
        "qrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    char million[1000], hex[SHA256_HEX], whole[SHA256_HEX];
    memset(million, 'a', sizeof million);
    struct sha256 sha;
    sha256_start(&sha);
    for (int i = 0; i < 1000; i++)
        sha256_add(&sha, million, sizeof million);
    sha256_end(&sha, hex);
    CHECK(!strcmp(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"), "%s", hex);
    for (size_t length = 0; length < 200; length++) {
        sha256_of(million, length, whole);
        for (size_t cut = 0; cut <= length; cut += 7) {
            sha256_start(&sha);
            sha256_add(&sha, million, cut);
            sha256_add(&sha, million + cut, length - cut);
            sha256_end(&sha, hex);
            CHECK(!strcmp(hex, whole), "%d bytes cut at %d", (int)length, (int)cut);
        }
    }
    static char all[1000000]; /* whole: by the processor's instructions, if it has them; above: without */
    memset(all, 'a', sizeof all);
    sha256_of(all, sizeof all, hex);
    CHECK(!strcmp(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"), "%s", hex);
    for (size_t k = 0; k < sizeof all; k++)
        all[k] = (char)(k * k >> 7);
    sha256_start(&sha);
    for (size_t k = 0; k < sizeof all; k += 100)
        sha256_add(&sha, all + k, 100);
    sha256_end(&sha, whole);
    sha256_of(all, sizeof all, hex);
    CHECK(!strcmp(hex, whole), "10^6 bytes at once, and 100 at a time");
    return 0;
}
