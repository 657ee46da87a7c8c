/* Steps: all that may happen in a state, put together from tables. What is missing in one is asked of Python, once. */

#include "states.h"

#define CLOSED 1 /* an inbox that takes nothing in; 0 is an empty one: `inboxes.py` */

enum { TIMEOUT = 1, REQUEST = 2 }; /* what `own` says of an action */

/* Asking Python. Each answer is kept. */

static int read_word(PyObject *item, uint32_t *word) {
    unsigned long value = PyLong_AsUnsignedLong(item);
    if (value == (unsigned long)-1 && PyErr_Occurred()) return -1;
    *word = (uint32_t)value;
    return 0;
}

/* Append what Python answered, a list of numbers, to `rows`, its length first. Returns where it begins, or NOTHING. */
static uint32_t keep_row(States *self, PyObject *answer) {
    if (!answer) return NOTHING;
    uint32_t begin = NOTHING, word;
    PyObject *row = PySequence_Fast(answer, "a row is a sequence");
    Py_DECREF(answer);
    if (!row) return NOTHING;
    size_t length = (size_t)PySequence_Fast_GET_SIZE(row), start = self->rows.length;
    if (push(&self->rows, (uint32_t)length)) goto done;
    for (size_t i = 0; i < length; i++)
        if (read_word(PySequence_Fast_GET_ITEM(row, i), &word) || push(&self->rows, word)) goto done;
    begin = (uint32_t)start;
done:
    Py_DECREF(row);
    return begin;
}

static uint32_t ask_row(States *self, const char *method, uint32_t one, uint32_t other) {
    return keep_row(self, PyObject_CallMethod(self->semantics, method, "kk", (unsigned long)one, (unsigned long)other));
}

static uint32_t row_of(States *self, Words *index, const char *method, uint32_t number) {
    while (index->length <= number)
        if (push(index, NOTHING)) return NOTHING;
    if (index->at[number] == NOTHING) {
        uint32_t row = ask_row(self, method, number, 0);
        index->at[number] = row;
    }
    return index->at[number];
}

static uint32_t effects_of(States *self, uint32_t local, uint32_t action) {
    uint64_t key = (uint64_t)local << 32 | action;
    uint32_t row = look_up(&self->effects, key);
    if (row == NOTHING) {
        row = ask_row(self, "effects", local, action);
        if (row != NOTHING && store(&self->effects, key, row)) return NOTHING;
    }
    return row;
}

static uint32_t faults_of(States *self, const uint32_t *state, uint32_t seat) {
    uint64_t pair = (uint64_t)state[seat] << 32 | state[self->n + seat];
    uint32_t number = look_up(&self->pairs, pair);
    if (number == NOTHING && store(&self->pairs, pair, number = (uint32_t)self->pairs.used)) return NOTHING;
    uint64_t key = (uint64_t)number << 32 | state[2 * self->n + 1];
    uint32_t row = look_up(&self->faults, key);
    if (row == NOTHING) {
        PyObject *words = as_tuple(self, state);
        if (!words) return NOTHING;
        row = keep_row(self, PyObject_CallMethod(self->semantics, "faults", "Ok", words, (unsigned long)seat));
        Py_DECREF(words);
        if (row != NOTHING && store(&self->faults, key, row)) return NOTHING;
    }
    return row;
}

static uint32_t ask_word(States *self, Map *map, const char *method, uint32_t one, uint32_t other) {
    uint64_t key = (uint64_t)one << 32 | other;
    uint32_t word = look_up(map, key);
    if (word != NOTHING) return word;
    PyObject *answer = PyObject_CallMethod(self->semantics, method, "kk", (unsigned long)one, (unsigned long)other);
    if (!answer) return NOTHING;
    int failed = read_word(answer, &word);
    Py_DECREF(answer);
    return failed || store(map, key, word) ? NOTHING : word;
}

static int is_violated(States *self, uint32_t world) {
    while (self->violated.length <= world)
        if (push(&self->violated, NOTHING)) return -1;
    if (self->violated.at[world] == NOTHING) {
        PyObject *answer = PyObject_CallMethod(self->semantics, "violates", "k", (unsigned long)world);
        if (!answer) return -1;
        self->violated.at[world] = (uint32_t)PyObject_IsTrue(answer);
        Py_DECREF(answer);
    }
    return (int)self->violated.at[world];
}

/* Steps. */

typedef struct { size_t progress; int left_out, in_python; } Expansion;

/* Send messages and show a note: `sends` is where in `rows` the messages begin, each with its receiver. */
static int send(States *self, uint32_t *child, size_t sends, uint32_t messages, uint32_t note) {
    uint32_t n = self->n;
    for (uint32_t i = 0; i < messages; i++) {
        uint32_t to = self->rows.at[sends + 2 * i], message = self->rows.at[sends + 2 * i + 1];
        child[n + to] = ask_word(self, &self->additions, "add", child[n + to], message);
        if (child[n + to] == NOTHING) return -1;
    }
    if (note) child[2 * n] = ask_word(self, &self->worlds, "after", child[2 * n], note);
    return child[2 * n] == NOTHING ? -1 : 0;
}

/* A step leads to a state, perhaps a new one, in which a property may be violated. */
static int discover(States *self, uint32_t number, const uint32_t *child, int64_t *culprit) {
    if (self->levels.length > self->most_depth && number >= deepest_begin(self)) return self->is_cut = 1;
    self->transitions++;
    uint64_t hash = hash_of(self, child);
    int64_t known = find(self, child, hash);
    if (known >= 0) {
        if (self->edges) return push(self->edges, (uint32_t)known);
        if (number >= deepest_begin(self) || (size_t)known < deepest_begin(self)) self->recurrent = 1;
        return 0;
    }
    known = add(self, child, hash, number);
    if (known < 0) return -1;
    int violated = is_violated(self, child[2 * self->n]);
    if (violated > 0) *culprit = known;
    return violated;
}

/* Take one action: discover every state that it leads to. Rows of effects: for each result of the coins the local
   state, whether it is out of bounds, the note, the number of messages, and for each of them receiver and action. */
static int take(States *self, uint32_t number, const uint32_t *state, uint32_t seat, uint32_t action, uint32_t rest,
                int counts, Expansion *found, int64_t *culprit) {
    uint32_t child[self->width];
    uint32_t row = effects_of(self, state[seat], action);
    if (row == NOTHING) return -1;
    for (size_t at = row + 1, end = at + self->rows.at[row], next; at < end; at = next) {
        const uint32_t *effect = self->rows.at + at;
        uint32_t out_of_bounds = effect[1], note = effect[2], messages = effect[3];
        next = at + 4 + 2 * (size_t)messages;
        if (out_of_bounds) {
            found->left_out++;
            continue;
        }
        memcpy(child, state, self->width * sizeof(uint32_t));
        child[seat] = effect[0];
        child[self->n + seat] = rest;
        if (send(self, child, at + 4, messages, note)) return -1;
        found->progress += (size_t)counts;
        int stop = discover(self, number, child, culprit);
        if (stop) return stop;
    }
    return 0;
}

/* Let every fault of a process happen that is still allowed. Rows of faults: see `packing.py`. */
static int disturb(States *self, uint32_t number, const uint32_t *state, uint32_t seat, Expansion *found,
                   int64_t *culprit) {
    uint32_t n = self->n, child[self->width];
    uint32_t row = faults_of(self, state, seat);
    if (row == NOTHING) return -1;
    found->left_out += (int)self->rows.at[row + 1];
    for (size_t at = row + 2, end = row + 1 + self->rows.at[row], next; at < end; at = next) {
        const uint32_t *fault = self->rows.at + at;
        uint32_t note = fault[3], for_good = fault[4], messages = fault[5];
        next = at + 6 + 2 * (size_t)messages;
        memcpy(child, state, self->width * sizeof(uint32_t));
        child[seat] = fault[0], child[n + seat] = fault[1], child[2 * n + 1] = fault[2];
        if (send(self, child, at + 6, messages, note)) return -1;
        for (uint32_t other = 0; for_good && other < n; other++) {
            uint32_t own = row_of(self, &self->own_at, "own", child[other]);
            if (own == NOTHING) return -1;
            if (!self->rows.at[own + 2]) continue;
            child[other] = ask_word(self, &self->gone, "gone", other, 0);
            if (child[other] == NOTHING) return -1;
            child[n + other] = CLOSED;
        }
        int stop = discover(self, number, child, culprit);
        if (stop) return stop;
    }
    return 0;
}

/* Discover all that one step leads to from a state. Rows of `own`: whether messages reach the process, and it is down,
   then for each action its number and what it is. Rows of `arriving`: for each arrival the action and the inbox that it
   leaves. */
static int expand(States *self, uint32_t number, Expansion *found, int64_t *culprit) {
    uint32_t n = self->n, state[self->width];
    memcpy(state, state_at(self, number), self->width * sizeof(uint32_t));
    found->progress = 0, found->left_out = 0, found->in_python = 0;
    int in_transit = 0;
    for (uint32_t seat = 0; seat < n && !found->in_python; seat++) {
        uint32_t row = row_of(self, &self->own_at, "own", state[seat]);
        if (row == NOTHING) return -1;
        found->in_python = !self->rows.at[row + 1];
        if (state[n + seat] <= CLOSED) continue;
        in_transit = 1;
        if (row_of(self, &self->arriving_at, "arriving", state[n + seat]) == NOTHING) return -1; /* as the reference */
    }
    if (found->in_python) return 0;
    int timers_wait = self->timers_wait_for_messages && in_transit;
    for (uint32_t seat = 0; seat < n; seat++) {
        uint32_t row = row_of(self, &self->own_at, "own", state[seat]), inbox = state[n + seat];
        for (size_t at = row + 3, end = row + 1 + self->rows.at[row]; at < end; at += 2) {
            uint32_t action = self->rows.at[at], kind = self->rows.at[at + 1];
            if (timers_wait && kind & TIMEOUT) continue;
            int stop = take(self, number, state, seat, action, inbox, !(kind & REQUEST), found, culprit);
            if (stop) return stop;
        }
        if (inbox <= CLOSED) continue;
        row = row_of(self, &self->arriving_at, "arriving", inbox);
        if (row == NOTHING) return -1;
        for (size_t at = row + 1, end = at + self->rows.at[row]; at < end; at += 2) {
            uint32_t action = self->rows.at[at], rest = self->rows.at[at + 1];
            int stop = take(self, number, state, seat, action, rest, 1, found, culprit);
            if (stop) return stop;
        }
    }
    for (uint32_t seat = 0; seat < n && state[2 * n + 1] != self->no_faults; seat++) {
        int stop = disturb(self, number, state, seat, found, culprit);
        if (stop) return stop;
    }
    return 0;
}
