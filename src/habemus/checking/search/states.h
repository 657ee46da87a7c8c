/* Global states in a flat table: numbered in the order of discovery, kept in chunks, found again by hash.

   They are discovered breadth first. A compact table keeps the hash alone, and forgets a state once it is expanded. */

#include "words.h"

#define CHUNK_BITS 16
#define CHUNK (1u << CHUNK_BITS)

typedef struct {
    PyObject_HEAD
    PyObject *semantics; /* what Python is asked: the methods of `Tables` in packing.py */
    uint32_t n, width, no_faults, most_depth;
    int timers_wait_for_messages, compact;
    uint32_t **chunks; /* NULL: forgotten */
    size_t chunk_count, count, expanded;
    uint32_t *slots;  /* numbers plus one, by hash; 0: free */
    uint64_t *hashes; /* in place of `slots`, where the table is compact */
    size_t slot_count;
    Words parents;
    Words levels; /* the first state of each depth */
    Words pinned; /* chunks that are not forgotten */
    Words *edges; /* where steps lead, while somebody asks for that */
    Words links, link_begin; /* where those of the first `linked` states lead, and where the steps of each begin */
    size_t linked;
    uint32_t *orders; /* of these states, while strongly connected sets are looked for */
    unsigned long long transitions;
    char recurrent, truncated, is_cut;
    Words own_at, arriving_at, rows; /* for each local state, and each inbox: where its row in `rows` begins */
    Words violated;                  /* by world */
    Map effects, additions, worlds, pairs, faults, gone;
} States;

static uint32_t *state_at(const States *self, size_t number) {
    return self->chunks[number >> CHUNK_BITS] + (number & (CHUNK - 1)) * (size_t)self->width;
}

static uint64_t hash_of(const States *self, const uint32_t *state) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < self->width; i++) hash = mix(hash + state[i] + 0x9e3779b97f4a7c15u);
    return hash ? hash : 1; /* 0 is a free place in a compact table */
}

/* The number of a state, or -1. A compact table does not know which number it was: it says 0. */
static int64_t find(const States *self, const uint32_t *state, uint64_t hash) {
    size_t mask = self->slot_count - 1, at = hash & mask;
    if (self->compact) {
        while (self->hashes[at] && self->hashes[at] != hash) at = (at + 1) & mask;
        return self->hashes[at] ? 0 : -1;
    }
    for (;; at = (at + 1) & mask) {
        uint32_t slot = self->slots[at];
        if (!slot) return -1;
        if (!memcmp(state_at(self, slot - 1), state, self->width * sizeof(uint32_t))) return slot - 1;
    }
}

static void take_slot(States *self, uint64_t hash, size_t number) {
    size_t mask = self->slot_count - 1, at = hash & mask;
    if (self->compact) {
        while (self->hashes[at]) at = (at + 1) & mask;
        self->hashes[at] = hash;
    } else {
        while (self->slots[at]) at = (at + 1) & mask;
        self->slots[at] = (uint32_t)number + 1;
    }
}

static int make_slots(States *self, size_t slot_count) {
    void *slots = PyMem_RawCalloc(slot_count, self->compact ? sizeof(uint64_t) : sizeof(uint32_t));
    if (!slots) { PyErr_NoMemory(); return -1; }
    if (self->compact) self->hashes = slots;
    else self->slots = slots;
    self->slot_count = slot_count;
    return 0;
}

static int enlarge_slots(States *self) {
    size_t before = self->slot_count;
    uint32_t *slots = self->slots;
    uint64_t *hashes = self->hashes;
    if (make_slots(self, 2 * before)) return -1;
    if (self->compact) {
        for (size_t at = 0; at < before; at++)
            if (hashes[at]) take_slot(self, hashes[at], 0);
    } else {
        for (size_t number = 0; number < self->count; number++)
            take_slot(self, hash_of(self, state_at(self, number)), number);
    }
    PyMem_RawFree(slots), PyMem_RawFree(hashes);
    return 0;
}

/* A compact table is filled further: sixteen bytes a state are what it has to do with. */
static int is_full(const States *self) {
    size_t share = self->slot_count / 16;
    return self->count + 1 > (self->compact ? 15 : 12) * share;
}

static uint32_t depth_of(const States *self, size_t number) {
    size_t low = 0, high = self->levels.length; /* depth is at least `low` and less than `high` */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (self->levels.at[middle] <= number) low = middle;
        else high = middle;
    }
    return (uint32_t)low;
}

/* Where the deepest states that are known begin. */
static size_t deepest_begin(const States *self) { return self->levels.at[self->levels.length - 1]; }

static int64_t add(States *self, const uint32_t *state, uint64_t hash, int64_t parent) {
    if (self->count >= NOTHING - 1) {
        PyErr_SetString(PyExc_OverflowError, "more states than numbers of 32 bits");
        return -1;
    }
    if (is_full(self) && enlarge_slots(self)) return -1;
    if (self->count >> CHUNK_BITS == self->chunk_count) {
        uint32_t **chunks = PyMem_RawRealloc(self->chunks, (self->chunk_count + 1) * sizeof(uint32_t *));
        if (!chunks) { PyErr_NoMemory(); return -1; }
        self->chunks = chunks;
        chunks[self->chunk_count] = PyMem_RawMalloc(CHUNK * (size_t)self->width * sizeof(uint32_t));
        if (!chunks[self->chunk_count]) { PyErr_NoMemory(); return -1; }
        self->chunk_count++;
    }
    int deeper = parent < 0 ? !self->levels.length : (size_t)parent >= deepest_begin(self);
    if (deeper && push(&self->levels, (uint32_t)self->count)) return -1;
    if (push(&self->parents, parent < 0 ? NOTHING : (uint32_t)parent)) { self->levels.length -= (size_t)deeper; return -1; }
    memcpy(state_at(self, self->count), state, self->width * sizeof(uint32_t));
    take_slot(self, hash, self->count);
    return (int64_t)self->count++;
}

/* The states before this one are not needed any more, but those that are pinned. */
static void forget(States *self, size_t number) {
    if (!self->compact || number % CHUNK || !number) return;
    uint32_t chunk = (uint32_t)(number >> CHUNK_BITS) - 1;
    for (size_t i = 0; i < self->pinned.length; i++)
        if (self->pinned.at[i] == chunk) return;
    PyMem_RawFree(self->chunks[chunk]);
    self->chunks[chunk] = NULL;
}

static PyObject *as_tuple(const States *self, const uint32_t *words) {
    PyObject *state = PyTuple_New((Py_ssize_t)self->width);
    for (uint32_t i = 0; state && i < self->width; i++) {
        PyObject *word = PyLong_FromUnsignedLong(words[i]);
        if (!word) Py_CLEAR(state);
        else PyTuple_SET_ITEM(state, (Py_ssize_t)i, word);
    }
    return state;
}
