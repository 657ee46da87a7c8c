/* Runs without end: where steps lead, as numbers, and the strongly connected sets of states. */

#include "steps.h"

/* Append the successors of a state that only Python can expand. */
static int ask_successors(Words *edges, PyObject *successors, size_t number) {
    PyObject *answer = PyObject_CallFunction(successors, "k", (unsigned long)number);
    if (!answer) return -1;
    PyObject *children = PySequence_Fast(answer, "successors are a sequence");
    Py_DECREF(answer);
    if (!children) return -1;
    int failed = 0;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(children) && !failed; i++) {
        uint32_t child;
        failed = read_word(PySequence_Fast_GET_ITEM(children, i), &child) || push(edges, child);
    }
    Py_DECREF(children);
    return failed ? -1 : 0;
}

static void unlink_states(States *self) {
    Words *words[] = {&self->links, &self->link_begin};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) PyMem_RawFree(words[i]->at), *words[i] = (Words){NULL, 0, 0};
    PyMem_RawFree(self->orders);
    self->orders = NULL, self->linked = 0;
}

/* Find where all steps from the first so many states lead, which were expanded before. */
static int link_states(States *self, size_t known, PyObject *successors) {
    unsigned long long transitions = self->transitions;
    size_t count = self->count;
    int failed = 0;
    unlink_states(self);
    self->edges = &self->links;
    for (size_t number = 0; number < known && !failed; number++) {
        Expansion found;
        int64_t culprit;
        if (self->links.length >= NOTHING) {
            PyErr_SetString(PyExc_OverflowError, "more transitions than numbers of 32 bits");
            failed = -1;
            break;
        }
        failed = push(&self->link_begin, (uint32_t)self->links.length) || expand(self, (uint32_t)number, &found, &culprit);
        if (!failed && number % CHUNK == 0) failed = PyErr_CheckSignals();
        if (!failed && found.in_python) failed = ask_successors(&self->links, successors, number);
    }
    self->edges = NULL, self->transitions = transitions; /* these were counted before */
    if (!failed && self->count > count) PyErr_SetString(PyExc_RuntimeError, "a state was not explored"), failed = -1;
    if (!failed) failed = push(&self->link_begin, (uint32_t)self->links.length);
    if (failed) unlink_states(self);
    else self->linked = known;
    return failed ? -1 : 0;
}

/* Whether there is a cycle: whatever nothing leads to is removed, again and again; what is left has one. */
static PyObject *States_has_cycle(States *self, PyObject *successors) {
    if (link_states(self, self->count, successors)) return NULL;
    uint32_t *entries = PyMem_RawCalloc(self->count, sizeof(uint32_t));
    Words free = {NULL, 0, 0};
    PyObject *answer = NULL;
    size_t removed = 0;
    if (!entries) { PyErr_NoMemory(); goto done; }
    for (size_t at = 0; at < self->links.length; at++) entries[self->links.at[at]]++;
    for (size_t number = 0; number < self->count; number++)
        if (!entries[number] && push(&free, (uint32_t)number)) goto done;
    for (; free.length; removed++) {
        uint32_t number = free.at[--free.length];
        for (size_t at = self->link_begin.at[number]; at < self->link_begin.at[number + 1]; at++)
            if (!--entries[self->links.at[at]] && push(&free, self->links.at[at])) goto done;
    }
    answer = PyBool_FromLong(removed < self->count);
done:
    PyMem_RawFree(entries), PyMem_RawFree(free.at);
    unlink_states(self);
    return answer;
}

static PyObject *States_link(States *self, PyObject *arguments) {
    unsigned long long known;
    PyObject *successors;
    if (!PyArg_ParseTuple(arguments, "KO", &known, &successors)) return NULL;
    if (known > self->expanded) { PyErr_SetString(PyExc_IndexError, "they are not expanded yet"); return NULL; }
    if (link_states(self, (size_t)known, successors)) return NULL;
    self->orders = PyMem_RawMalloc((2 * self->linked + 1) * sizeof(uint32_t));
    if (!self->orders) return PyErr_NoMemory();
    memset(self->orders, 0xff, self->linked * sizeof(uint32_t));
    Py_RETURN_NONE;
}

/* R. Tarjan. Depth-first search and linear graph algorithms. SIAM J. Comput. 1(2), 1972. */

typedef struct {
    uint32_t *order, *low; /* when a state was met (0: not yet; OUTSIDE: its set is known, or nobody asked for it), and
                              the earliest one that it leads to */
    Words stack, path;     /* path: states with the place of the next step to look at */
    uint32_t clock;
} Tarjan;

#define OUTSIDE NOTHING

static int meet(Tarjan *tarjan, const States *self, uint32_t number) {
    tarjan->order[number] = tarjan->low[number] = ++tarjan->clock;
    return push(&tarjan->stack, number) || push(&tarjan->path, number) || push(&tarjan->path, self->link_begin.at[number]);
}

/* Take the set of a state off the stack, and keep it if it has a cycle. */
static int close_component(Tarjan *tarjan, const States *self, uint32_t first, PyObject *found) {
    size_t bottom = tarjan->stack.length;
    while (tarjan->stack.at[--bottom] != first) {}
    size_t size = tarjan->stack.length - bottom;
    int is_cycle = size > 1;
    for (size_t at = self->link_begin.at[first]; at < self->link_begin.at[first + 1]; at++)
        is_cycle |= self->links.at[at] == first;
    PyObject *component = is_cycle ? PyList_New((Py_ssize_t)size) : NULL;
    if (is_cycle && !component) return -1;
    for (size_t i = 0; i < size; i++) {
        uint32_t number = tarjan->stack.at[bottom + i];
        tarjan->order[number] = OUTSIDE;
        PyObject *member = component ? PyLong_FromUnsignedLong(number) : NULL;
        if (component && !member) { Py_DECREF(component); return -1; }
        if (component) PyList_SET_ITEM(component, (Py_ssize_t)i, member);
    }
    tarjan->stack.length = bottom;
    if (!component) return 0;
    int failed = PyList_Sort(component) || PyList_Append(found, component);
    Py_DECREF(component);
    return failed ? -1 : 0;
}

static int find_from(Tarjan *tarjan, const States *self, uint32_t root, PyObject *found) {
    Words *path = &tarjan->path;
    if (meet(tarjan, self, root)) return -1;
    while (path->length) {
        uint32_t here = path->at[path->length - 2], at = path->at[path->length - 1];
        if (at < self->link_begin.at[here + 1]) {
            uint32_t there = self->links.at[at];
            path->at[path->length - 1]++;
            if (there >= self->linked || tarjan->order[there] == OUTSIDE) continue;
            if (!tarjan->order[there]) {
                if (meet(tarjan, self, there)) return -1;
            } else if (tarjan->order[there] < tarjan->low[here]) tarjan->low[here] = tarjan->order[there];
            continue;
        }
        path->length -= 2;
        if (path->length) {
            uint32_t *low = tarjan->low + path->at[path->length - 2];
            if (tarjan->low[here] < *low) *low = tarjan->low[here];
        }
        if (tarjan->low[here] == tarjan->order[here] && close_component(tarjan, self, here, found)) return -1;
    }
    return 0;
}

/* The sets among these states, a list of numbers. */
static PyObject *States_components(States *self, PyObject *nodes) {
    if (!PyList_Check(nodes) || !self->orders) {
        PyErr_SetString(PyExc_TypeError, "expected a list of states that are linked");
        return NULL;
    }
    Tarjan tarjan = {self->orders, self->orders + self->linked, {NULL, 0, 0}, {NULL, 0, 0}, 0};
    Words roots = {NULL, 0, 0};
    PyObject *found = PyList_New(0);
    for (Py_ssize_t i = 0; found && i < PyList_GET_SIZE(nodes); i++) {
        uint32_t root;
        int failed = read_word(PyList_GET_ITEM(nodes, i), &root) || push(&roots, root);
        if (!failed && root >= self->linked) PyErr_SetString(PyExc_IndexError, "there is no such state"), failed = 1;
        if (failed) Py_CLEAR(found);
        else tarjan.order[root] = 0;
    }
    for (size_t i = 0; found && i < roots.length; i++)
        if (!tarjan.order[roots.at[i]] && find_from(&tarjan, self, roots.at[i], found)) Py_CLEAR(found);
    if (!found) memset(self->orders, 0xff, self->linked * sizeof(uint32_t));
    PyMem_RawFree(roots.at), PyMem_RawFree(tarjan.stack.at), PyMem_RawFree(tarjan.path.at);
    return found;
}
