/* Global states in a flat table, and the loop that finds them: what `Search` does in full, as machine code.

   A global state is `width` words: a local state and an inbox for each process, the world that observers see, and the
   faults that are still allowed. A step is put together from four tables, each filled by a call to Python the first
   time an entry is missing: what a process may do by itself, what may arrive from an inbox, the effects of an action in
   a local state, and what an inbox or a world becomes. `search.py` and `semantics.py` are the reference: where a state
   needs more than this (a process has yet to start) `explore` hands it to them. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "cycles.h"

enum { PAUSED, FINISHED, VIOLATED, AT_END, IN_PYTHON }; /* why `explore` returns: `packing.py` */

/* What Python sees. */

static int read_state(States *self, PyObject *state, uint32_t *words) {
    if (!PyTuple_Check(state) || PyTuple_GET_SIZE(state) != (Py_ssize_t)self->width) {
        PyErr_Format(PyExc_ValueError, "a state is a tuple of %u numbers", self->width);
        return -1;
    }
    for (uint32_t i = 0; i < self->width; i++)
        if (read_word(PyTuple_GET_ITEM(state, i), words + i)) return -1;
    return 0;
}

static PyObject *States_find(States *self, PyObject *state) {
    uint32_t words[self->width];
    if (read_state(self, state, words)) return NULL;
    return PyLong_FromLongLong(find(self, words, hash_of(self, words)));
}

static PyObject *States_add(States *self, PyObject *arguments) {
    PyObject *state;
    long long parent;
    uint32_t words[self->width];
    if (!PyArg_ParseTuple(arguments, "OL", &state, &parent) || read_state(self, state, words)) return NULL;
    if (parent >= (long long)self->count) {
        PyErr_SetString(PyExc_IndexError, "there is no such parent");
        return NULL;
    }
    int64_t number = add(self, words, hash_of(self, words), parent);
    return number < 0 ? NULL : PyLong_FromLongLong(number);
}

static PyObject *States_explore(States *self, PyObject *arguments) {
    unsigned long long most;
    if (!PyArg_ParseTuple(arguments, "K", &most)) return NULL;
    for (; most && self->expanded < self->count; most--) {
        uint32_t number = (uint32_t)self->expanded++;
        int64_t culprit = -1;
        Expansion found;
        forget(self, number);
        int at_limit = self->levels.length > self->most_depth && number >= deepest_begin(self);
        int stop = expand(self, number, &found, &culprit);
        if (stop < 0) return NULL;
        if (at_limit && !found.in_python) continue; /* runs are followed no further */
        if (found.left_out) self->truncated = 1;
        if (stop) return Py_BuildValue("iL", VIOLATED, (long long)culprit);
        if (found.in_python) return Py_BuildValue("iL", IN_PYTHON, (long long)number);
        if (!found.progress) return Py_BuildValue("iL", AT_END, (long long)number);
    }
    return Py_BuildValue("iL", self->expanded < self->count ? PAUSED : FINISHED, -1LL);
}

/* Read the number of a state; -1 where there is none. */
static int64_t read_number(const States *self, PyObject *argument) {
    size_t number = PyLong_AsSize_t(argument);
    if (!PyErr_Occurred() && number < self->count) return (int64_t)number;
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "there is no such state");
    return -1;
}

static PyObject *States_parent(States *self, PyObject *argument) {
    int64_t number = read_number(self, argument);
    if (number < 0) return NULL;
    uint32_t parent = self->parents.at[number];
    return PyLong_FromLongLong(parent == NOTHING ? -1 : (long long)parent);
}

static PyObject *States_depth(States *self, PyObject *argument) {
    int64_t number = read_number(self, argument);
    return number < 0 ? NULL : PyLong_FromUnsignedLong(depth_of(self, (size_t)number));
}

static PyObject *States_forget(States *self, PyObject *argument) {
    int64_t number = read_number(self, argument);
    if (number < 0) return NULL;
    forget(self, (size_t)number);
    Py_RETURN_NONE;
}

static PyObject *States_pin(States *self, PyObject *argument) {
    size_t number = PyLong_AsSize_t(argument); /* it need not be known yet */
    if (PyErr_Occurred() || push(&self->pinned, (uint32_t)(number >> CHUNK_BITS))) return NULL;
    Py_RETURN_NONE;
}

static PyObject *States_bytes_in_use(States *self, PyObject *Py_UNUSED(ignored)) {
    size_t words = self->slot_count * (self->compact ? 2 : 1) + self->parents.room;
    for (size_t i = 0; i < self->chunk_count; i++) words += self->chunks[i] ? CHUNK * (size_t)self->width : 0;
    return PyLong_FromSize_t(words * sizeof(uint32_t));
}

static PyObject *States_deepest(States *self, void *Py_UNUSED(ignored)) {
    return PyLong_FromSize_t(self->levels.length ? self->levels.length - 1 : 0);
}

static Py_ssize_t States_length(States *self) { return (Py_ssize_t)self->count; }

static PyObject *States_item(States *self, Py_ssize_t number) {
    if (number < 0 || (size_t)number >= self->count) {
        PyErr_SetString(PyExc_IndexError, "there is no such state");
        return NULL;
    }
    if (!self->chunks[number >> CHUNK_BITS]) {
        PyErr_SetString(PyExc_LookupError, "the state was forgotten");
        return NULL;
    }
    return as_tuple(self, state_at(self, (size_t)number));
}

static int States_init(States *self, PyObject *arguments, PyObject *Py_UNUSED(keywords)) {
    PyObject *semantics;
    unsigned int n, no_faults, most_depth;
    int timers_wait, compact;
    if (self->semantics) { PyErr_SetString(PyExc_TypeError, "States is made once"); return -1; }
    if (!PyArg_ParseTuple(arguments, "OIIIpp", &semantics, &n, &no_faults, &most_depth, &timers_wait, &compact)) return -1;
    self->n = n, self->width = 2 * n + 2, self->no_faults = no_faults, self->most_depth = most_depth;
    self->timers_wait_for_messages = timers_wait, self->compact = compact;
    if (make_slots(self, 1024)) return -1;
    self->semantics = Py_NewRef(semantics);
    return 0;
}

static int States_traverse(States *self, visitproc visit, void *arg) {
    Py_VISIT(self->semantics);
    return 0;
}

static int States_clear(States *self) {
    Py_CLEAR(self->semantics);
    return 0;
}

static void States_free(States *self) {
    PyObject_GC_UnTrack(self);
    States_clear(self);
    for (size_t i = 0; i < self->chunk_count; i++) PyMem_RawFree(self->chunks[i]);
    PyMem_RawFree(self->chunks), PyMem_RawFree(self->slots), PyMem_RawFree(self->hashes);
    PyMem_RawFree(self->orders);
    Words *words[] = {&self->parents, &self->levels, &self->pinned, &self->links, &self->link_begin, &self->own_at, &self->arriving_at, &self->rows, &self->violated};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) PyMem_RawFree(words[i]->at);
    Map *maps[] = {&self->effects, &self->additions, &self->worlds, &self->pairs, &self->faults, &self->gone};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) PyMem_RawFree(maps[i]->keys), PyMem_RawFree(maps[i]->values);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef States_methods[] = {
    {"find", (PyCFunction)States_find, METH_O, "The number of a state, or -1."},
    {"add", (PyCFunction)States_add, METH_VARARGS, "Number a new state: add(state, parent)."},
    {"explore", (PyCFunction)States_explore, METH_VARARGS, "Expand so many states: why it ended, and at which."},
    {"parent", (PyCFunction)States_parent, METH_O, "The state that a state was found from."},
    {"depth", (PyCFunction)States_depth, METH_O, "How many steps lead to a state."},
    {"forget", (PyCFunction)States_forget, METH_O, "A compact table: forget the states before this one."},
    {"pin", (PyCFunction)States_pin, METH_O, "Do not forget the state of this number."},
    {"has_cycle", (PyCFunction)States_has_cycle, METH_O, "Whether a run without end leads through the states."},
    {"link", (PyCFunction)States_link, METH_VARARGS, "Find where the first so many states lead: for `components`."},
    {"components", (PyCFunction)States_components, METH_O, "The strongly connected sets, among these states."},
    {"bytes_in_use", (PyCFunction)States_bytes_in_use, METH_NOARGS, "What the states take."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef States_members[] = {
    {"expanded", T_PYSSIZET, offsetof(States, expanded), READONLY, NULL},
    {"transitions", T_ULONGLONG, offsetof(States, transitions), READONLY, NULL},
    {"recurrent", T_BOOL, offsetof(States, recurrent), READONLY, NULL},
    {"truncated", T_BOOL, offsetof(States, truncated), READONLY, NULL},
    {"is_cut", T_BOOL, offsetof(States, is_cut), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef States_computed[] = {
    {"deepest", (getter)States_deepest, NULL, "How many steps lead to the deepest state.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PySequenceMethods States_sequence = {.sq_length = (lenfunc)States_length, .sq_item = (ssizeargfunc)States_item};

static PyTypeObject StatesType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "habemus.checking.search.packed.States",
    .tp_basicsize = sizeof(States),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)States_init,
    .tp_dealloc = (destructor)States_free,
    .tp_traverse = (traverseproc)States_traverse,
    .tp_clear = (inquiry)States_clear,
    .tp_methods = States_methods,
    .tp_members = States_members,
    .tp_getset = States_computed,
    .tp_as_sequence = &States_sequence,
};

static PyModuleDef packed = {PyModuleDef_HEAD_INIT, "packed", "Global states in a flat table.", -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_packed(void) {
    if (PyType_Ready(&StatesType) < 0) return NULL;
    PyObject *module = PyModule_Create(&packed);
    if (!module) return NULL;
    if (PyModule_AddObjectRef(module, "States", (PyObject *)&StatesType) < 0) Py_CLEAR(module);
    return module;
}
