/* Lists of words and maps of words, a word being 32 bits. */

#include <Python.h>
#include <stdint.h>
#include <string.h>

#define NOTHING UINT32_MAX

/* A list of 32-bit words. */

typedef struct { uint32_t *at; size_t length, room; } Words;

static int push(Words *words, uint32_t word) {
    if (words->length == words->room) {
        size_t room = words->room ? 2 * words->room : 64;
        uint32_t *grown = PyMem_RawRealloc(words->at, room * sizeof(uint32_t));
        if (!grown) { PyErr_NoMemory(); return -1; }
        words->at = grown, words->room = room;
    }
    words->at[words->length++] = word;
    return 0;
}

/* A map from pairs of words to words. */

typedef struct { uint64_t *keys; uint32_t *values; size_t used, room; } Map;

static uint64_t mix(uint64_t x) {
    x ^= x >> 32, x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32, x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static uint32_t look_up(const Map *map, uint64_t key) {
    if (!map->room) return NOTHING;
    for (size_t at = mix(key) & (map->room - 1);; at = (at + 1) & (map->room - 1)) {
        if (map->values[at] == NOTHING) return NOTHING;
        if (map->keys[at] == key) return map->values[at];
    }
}

static void place(Map *map, uint64_t key, uint32_t value) {
    size_t at = mix(key) & (map->room - 1);
    while (map->values[at] != NOTHING) at = (at + 1) & (map->room - 1);
    map->keys[at] = key, map->values[at] = value, map->used++;
}

static int store(Map *map, uint64_t key, uint32_t value) {
    if (2 * map->used >= map->room) {
        Map larger = {NULL, NULL, 0, map->room ? 2 * map->room : 256};
        larger.keys = PyMem_RawMalloc(larger.room * sizeof(uint64_t));
        larger.values = PyMem_RawMalloc(larger.room * sizeof(uint32_t));
        if (!larger.keys || !larger.values) {
            PyMem_RawFree(larger.keys), PyMem_RawFree(larger.values);
            PyErr_NoMemory();
            return -1;
        }
        memset(larger.values, 0xff, larger.room * sizeof(uint32_t));
        for (size_t at = 0; at < map->room; at++)
            if (map->values[at] != NOTHING) place(&larger, map->keys[at], map->values[at]);
        PyMem_RawFree(map->keys), PyMem_RawFree(map->values);
        *map = larger;
    }
    place(map, key, value);
    return 0;
}
