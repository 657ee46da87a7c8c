"""An explorer of its own: simple, slow, and with nothing of the checker in it but what it is compared with.

A global state is written out: the fields, timers and allowances of each process, each link's messages, and what
observers have seen. Every step puts the processes into that state, lets one thing happen and reads the new one. It
knows asynchronous runs with timers, losses and doubled messages; no detector, no clock, no pulses.
"""

from habemus.process import Election, Layers, Machine, MisuseError, Mutex

MOST_COINS = 64


class Host(Layers):
    """One process that can be put into any state."""

    def __init__(self, machine, seat):
        self.reset()
        super().__init__(machine, seat)

    def reset(self):
        self.armed, self.sent, self.said = set(), [], []
        self.script, self.tossed, self.arities = (), 0, []

    def send(self, to, message):
        if not self.machine.graph.linked(self.seat, to):
            raise self.machine.missing_link(self.id, to)
        self.sent.append((to, message))

    def arm(self, layer, name, delay):
        self.armed.add((layer, name))

    def disarm(self, layer, name):
        self.armed.discard((layer, name))

    def announce(self, process, what, subject):
        self.said.append((what, subject))
        return True

    def choose(self, options):
        position = self.script[self.tossed] if self.tossed < len(self.script) else 0
        self.arities = [*self.arities[: self.tossed], len(options)]
        self.tossed += 1
        return options[position]

    def time(self):
        return 0


class Failure(Exception):
    """A clause failed."""


class Explorer:
    """All runs of an instance: `states`, `transitions`, `ends`, and what is `violated`."""

    def __init__(self, stack, parameters, topology, starters, *, fifo, entries, timeouts, losses, doubles):
        self.machine = Machine(stack, parameters, topology)
        self.stack, self.ids, self.n, self.fifo = stack, topology.ids, topology.n, fifo
        self.seats = topology.seats
        self.hosts = [Host(self.machine, seat) for seat in range(self.n)]
        mutexes = [number for number, anatomy in enumerate(stack) if issubclass(anatomy.cls, Mutex)]
        self.mutex = mutexes[0] if mutexes else None
        locals_ = []
        for seat, host in enumerate(self.hosts):
            called = self.ids[seat] in starters
            starts = any(
                "start" in anatomy.events and (called or not issubclass(anatomy.cls, Election)) for anatomy in stack
            )
            waiting = ("called" if called else "started") if starts else ""
            requests = entries if mutexes else 0
            locals_.append((host.snapshot(), frozenset(), waiting, requests, timeouts))
        world = ((), None, (), (), (), None)  # beliefs, incumbent, waiting, inside, users, highest token
        self.first = (tuple(locals_), ((),) * self.n, world, (losses, doubles))

    def run(self, most=20_000):
        """Explore; says whether everything was."""
        self.states, self.transitions, self.ends, self.violated = {self.first: None}, 0, 0, ""
        agenda = [self.first]
        prefix = True
        for state in agenda:
            if len(self.states) > most:
                return False
            successors, progress = self.expand(state)
            if prefix and any(local[2] for local in state[0]) and len(successors) == 1:
                del self.states[state]  # all runs begin like this
            else:
                prefix = False
                self.transitions += len(successors)
            if not progress:
                self.ends += 1
                if all(not (timers and left == 0) for _, timers, _, _, left in state[0]):
                    self.violated = self.violated or self.judge_end(state)
            for after, broken in successors:
                self.violated = self.violated or broken
                if after not in self.states:
                    self.states[after] = None
                    agenda.append(after)
            if self.violated:
                return True
        return True

    # What may happen

    def expand(self, state):
        """The states after one step, each with what it violates; and how many steps have to happen in the end."""
        locals_, inboxes, _, (losses, doubles) = state
        found, optional = [], 0
        for seat, local in enumerate(locals_):
            if local[2]:
                return self.happen(state, seat, inboxes, ("start", local[2])), 1
        for seat, (layers, timers, _, requests, timeouts) in enumerate(locals_):
            for timer in sorted(timers) if timeouts != 0 else []:
                found += self.happen(state, seat, inboxes, ("timeout", *timer))
            if self.mutex is not None:
                names = self.stack[self.mutex].fields
                fields = dict(zip(names, layers[self.mutex], strict=True))
                if fields["inside"]:
                    found += self.happen(state, seat, inboxes, ("command", "release"))
                elif requests and not fields["waiting"]:
                    asked = self.happen(state, seat, inboxes, ("command", "acquire"))
                    optional += len(asked)
                    found += asked
            for sender, message, rest in self.arrivals(inboxes[seat]):
                found += self.happen(state, seat, put(inboxes, seat, rest), ("deliver", sender, message))
        progress = len(found) - optional
        for seat in range(self.n):
            for sender, message, rest in self.arrivals(inboxes[seat]):
                if losses:
                    found.append(((locals_, put(inboxes, seat, rest), state[2], (losses - 1, doubles)), ""))
                if doubles:
                    twice = self.happen(state, seat, inboxes, ("deliver", sender, message))
                    found += [((a, b, c, (losses, doubles - 1)), broken) for (a, b, c, _), broken in twice]
        return found, progress

    def arrivals(self, inbox):
        """What may arrive: on FIFO links the first of each sender, else anything; equal messages once."""
        seen = []
        for position, (sender, message) in enumerate(inbox):
            key = sender if self.fifo else (sender, message)
            if key not in seen:
                seen.append(key)
                yield sender, message, inbox[:position] + inbox[position + 1 :]

    def happen(self, state, seat, inboxes, event):
        """Let something happen to a process, with every result of its coins."""
        outcomes, scripts = {}, [()]
        for script in scripts:
            assert len(scripts) < MOST_COINS
            after, sent, said, arities = self.react(state[0][seat], seat, event, script)
            for position in range(len(script), len(arities)):
                head = (*script, *([0] * (position - len(script))))
                scripts += [(*head, option) for option in range(1, arities[position])]
            outcomes.setdefault((after, tuple(sent), tuple(said)), None)
        return [self.combine(state, seat, inboxes, *outcome) for outcome in outcomes]

    def react(self, local, seat, event, script):
        layers, timers, waiting, requests, timeouts = local
        host = self.hosts[seat]
        host.reset()
        host.indications = host.news = None
        host.script, host.armed = script, set(timers)
        for number, anatomy in enumerate(self.stack):
            anatomy.restore(host.layer(number), layers[number])
        kind = event[0]
        try:
            if kind == "start":
                host.start_below()
                if event[1] == "called" and "start" in self.machine.commands:
                    host.command("start")
            elif kind == "timeout":
                host.armed.discard(event[1:])
                host.time_out(event[1], event[2])
                timeouts -= timeouts > 0
            elif kind == "command":
                host.command(event[1])
                requests -= event[1] == "acquire"
                if event[1] == "acquire" and not {"ask", "enter"} & {what for what, _ in host.said}:
                    host.said.append(("want", None))  # it was told to ask, and did not
            else:
                host.deliver(event[1], event[2], [])
        except MisuseError:
            raise
        except Exception as error:
            raise Failure(repr(error)) from error
        after = (host.snapshot(), frozenset(host.armed), "" if kind == "start" else waiting, requests, timeouts)
        return after, host.sent, host.said, host.arities

    def combine(self, state, seat, inboxes, after, sent, said):
        inboxes = list(inboxes)
        for to, message in sent:
            inbox = (*inboxes[self.seats[to]], (self.ids[seat], message))
            inboxes[self.seats[to]] = self.sort(inbox)
        world, broken = self.observe(state[2], self.ids[seat], said)
        return (put(state[0], seat, after), tuple(inboxes), world, state[3]), broken

    def sort(self, inbox):
        """In one order if that does not matter: by sender; where messages overtake each other, by content, too."""
        return tuple(sorted(inbox, key=lambda item: item[0] if self.fifo else (item[0], repr(item[1]))))

    # What observers see

    def observe(self, world, pid, said):
        beliefs, incumbent, waiting, inside, users, highest = world
        beliefs, waiting, inside, users = dict(beliefs), set(waiting), dict(inside), dict(users)
        broken = ""
        for what, subject in said:
            if what == "leader":
                beliefs.pop(pid, None)
                if subject is not None:
                    beliefs[pid] = subject
                if subject == pid:
                    if incumbent not in (None, pid):
                        broken = broken or "stability"
                    incumbent = pid
                if sum(named == who for who, named in beliefs.items()) > 1:
                    broken = "uniqueness" if broken in ("", "stability") else broken
            elif what in ("ask", "want"):
                waiting -= {(pid, "want")}
                waiting.add((pid, what))
            elif what == "enter":
                waiting -= {(pid, "ask"), (pid, "want")}
                inside[pid] = subject
                if subject is None or highest is None or subject >= highest:
                    if subject is not None:
                        highest = subject
                        users = {who: token for who, token in users.items() if token is None or token >= subject}
                    users[pid] = subject
                if len(users) > 1:
                    broken = broken or "mutual_exclusion"
            elif what == "leave":
                inside.pop(pid, None)
                users.pop(pid, None)
        frozen = [tuple(sorted(part.items())) for part in (beliefs, inside, users)]
        return (frozen[0], incumbent, tuple(sorted(waiting)), frozen[1], frozen[2], highest), broken

    def judge_end(self, state):
        beliefs, _, waiting, *_ = state[2]
        if self.mutex is not None:
            return "deadlock_freedom" if waiting else ""
        if not any(who == named for who, named in beliefs):
            return "termination"
        return "agreement" if len(beliefs) < self.n or len({named for _, named in beliefs}) > 1 else ""


def put(items, position, item):
    return (*items[:position], item, *items[position + 1 :])


def explore_slowly(asked, most=20_000):
    """The explorer of a question, as far as it came; None if there are too many states."""
    semantics = asked.build_semantics()  # only to read what was asked
    instance, limits = semantics.instance, asked.limits
    explorer = Explorer(
        instance.stack,
        instance.parameters,
        instance.topology,
        instance.starters,
        fifo=limits.fifo,
        entries=limits.entries,
        timeouts=limits.alarms,
        losses=limits.losses,
        doubles=limits.doubles,
    )
    return explorer if explorer.run(most) else None
