/* The ring in C, tight but not specialised: a binary heap of events, messages with a type, a handler by pointer.
   Usage: ring IDS REPEATS, as stopwatch.py says. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { CANDIDATE, ELECTED };

typedef struct node {
    int64_t id, leader, last_arrival;
    struct node *successor;
    int participant;
} node;

typedef struct {
    int64_t arrival, number; /* number: among equal arrivals, first sent, first delivered */
    node *to;
    int64_t id;
    int kind;
} event;

typedef struct simulation {
    event *heap;
    int64_t size, room, now, sent;
    uint64_t random;
    void (*handlers[2])(struct simulation *, node *, int64_t);
} simulation;

static int before(const event *a, const event *b) {
    return a->arrival < b->arrival || (a->arrival == b->arrival && a->number < b->number);
}

static void push(simulation *s, event e) {
    if (s->size == s->room) {
        s->room = s->room ? 2 * s->room : 1024;
        s->heap = realloc(s->heap, s->room * sizeof(event));
        if (!s->heap) exit(1);
    }
    int64_t hole = s->size++;
    while (hole > 0 && before(&e, &s->heap[(hole - 1) / 2])) {
        s->heap[hole] = s->heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    s->heap[hole] = e;
}

static event pop(simulation *s) {
    event first = s->heap[0], last = s->heap[--s->size];
    int64_t hole = 0, child;
    while ((child = 2 * hole + 1) < s->size) {
        if (child + 1 < s->size && before(&s->heap[child + 1], &s->heap[child])) child++;
        if (!before(&s->heap[child], &last)) break;
        s->heap[hole] = s->heap[child];
        hole = child;
    }
    s->heap[hole] = last;
    return first;
}

static int64_t delay(simulation *s) { /* 1 to 10, by xorshift64 */
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return 1 + (int64_t)(((s->random >> 32) * 10) >> 32);
}

static void send(simulation *s, node *from, int kind, int64_t id) {
    int64_t arrival = s->now + delay(s);
    if (arrival < from->last_arrival) arrival = from->last_arrival;
    from->last_arrival = arrival;
    push(s, (event){arrival, ++s->sent, from->successor, id, kind});
}

static void start(simulation *s, node *n) {
    n->participant = 1;
    send(s, n, CANDIDATE, n->id);
}

static void weigh_candidate(simulation *s, node *n, int64_t id) {
    if (id > n->id) {
        n->participant = 1;
        send(s, n, CANDIDATE, id);
    } else if (id < n->id) {
        if (!n->participant) start(s, n);
    } else {
        n->participant = 0;
        n->leader = id;
        send(s, n, ELECTED, id);
    }
}

static void learn_result(simulation *s, node *n, int64_t id) {
    if (id != n->id) {
        n->participant = 0;
        n->leader = id;
        send(s, n, ELECTED, id);
    }
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static long long peak_memory(void) { /* see stopwatch.py */
    char line[256];
    long long kilobytes = -1;
    FILE *status = fopen("/proc/self/status", "r");
    if (status) {
        while (fgets(line, sizeof line, status))
            if (!strncmp(line, "VmHWM:", 6)) kilobytes = atoll(line + 6);
        fclose(status);
    }
    if (kilobytes >= 0) return kilobytes * 1024;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    return usage.ru_maxrss;
#else
    return usage.ru_maxrss * 1024LL;
#endif
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    FILE *file = fopen(argv[1], "rb");
    if (!file) return 1;
    fseek(file, 0, SEEK_END);
    size_t n = ftell(file) / sizeof(int64_t);
    rewind(file);
    int64_t *ids = malloc(n * sizeof *ids);
    if (!ids || fread(ids, sizeof *ids, n, file) != n) return 1;
    fclose(file);

    double fastest_build = 1e9, fastest_run = 1e9;
    int64_t sent = 0, leader = 0;
    for (int repeat = atoi(argv[2]); repeat > 0; repeat--) {
        double begin = seconds();
        simulation s = {.random = 88172645463325252ULL, .handlers = {weigh_candidate, learn_result}};
        node *nodes = calloc(n, sizeof *nodes);
        if (!nodes) return 1;
        for (size_t i = 0; i < n; i++) {
            nodes[i].id = ids[i];
            nodes[i].successor = &nodes[(i + 1) % n];
        }
        double ready = seconds();
        for (size_t i = 0; i < n; i++) start(&s, &nodes[i]);
        while (s.size) {
            event e = pop(&s);
            s.now = e.arrival;
            s.handlers[e.kind](&s, e.to, e.id);
        }
        sent = s.sent;
        leader = nodes[0].leader;
        for (size_t i = 0; i < n; i++)
            if (nodes[i].leader != leader) return 1;
        double end = seconds();
        if (ready - begin < fastest_build) fastest_build = ready - begin;
        if (end - ready < fastest_run) fastest_run = end - ready;
        free(nodes);
        free(s.heap);
    }
    printf("{\"messages\": %lld, \"leader\": %lld, \"build\": %.9f, \"run\": %.9f, \"memory\": %lld}\n",
           (long long)sent, (long long)leader, fastest_build, fastest_run, peak_memory());
    return 0;
}
