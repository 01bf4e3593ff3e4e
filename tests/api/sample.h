/* sample.h: small configs for the tests of libcardiac. */
#ifndef CARDIAC_TESTS_API_SAMPLE_H
#define CARDIAC_TESTS_API_SAMPLE_H

#include "app/api/cardiac.h"
#include "tests/support/check.h"

/* 0 or the test ends with the message of the library */
#define CHECK_API(call, sim)                                                                                 \
    do {                                                                                                     \
        int checked_ = (call);                                                                               \
        if (checked_) {                                                                                      \
            fprintf(stderr, "%s:%d: %s: %d: %s\n", __FILE__, __LINE__, #call, checked_, cardiac_error(sim)); \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* A cable of 41 nodes, half of it of other cells, with S1 twice and S2; the threshold of a cell takes a beat
 * of it each time that a cable is opened */
#define SAMPLE_CABLE                                                                                         \
    "version: 1\n"                                                                                           \
    "mesh: {cable: {length: 8 mm, spacing: 0.2 mm}}\n"                                                       \
    "tissue:\n"                                                                                              \
    "  surface_to_volume: 140 /mm\n"                                                                         \
    "  regions:\n"                                                                                           \
    "    - {tags: all, where: 'x < 4 mm', model: tp06-epi, conductivity: 0.2 S/m}\n"                         \
    "    - {tags: all, model: luo-rudy-1991, conductivity: 0.2 S/m}\n"                                       \
    "stimuli:\n"                                                                                             \
    "  - {name: S1, where: 'x < 1 mm', start: 1 ms, duration: 2 ms, current: 50 uA/uF, period: 12 ms, "      \
    "count: 2}\n"                                                                                            \
    "  - {name: S2, where: 'x > 7 mm', start: 20 ms, duration: 1 ms, current: 40 uA/uF}\n"                   \
    "time: {end: 32 ms, step: 0.02 ms}\n"                                                                    \
    "activation: {beats: 4, threshold: -40 mV}\n"                                                            \
    "output:\n    maps: [activation_time, apd90, peak]\n    probes: {P: [6 mm, 0 mm, 0 mm]}\n"

#endif
