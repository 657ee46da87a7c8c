"""The third way to drive an algorithm: real processes, real sockets, real clocks, real crashes.

stack.py          the layers of one process and the steps they take; no socket, no file, no clock of its own
synchroniser.py   pulses for synchronous algorithms, out of messages
wire.py           what goes over a connection: frames, and the messages of a stack as bytes
handshake.py      who is at the other end, and how its frames cannot be forged
connection.py     one TCP connection, either end
link.py           the way to one other process: queue, numbers, acknowledgements, redialling
endpoint.py       a port that others connect to, for one group or several
storage.py        what survives a crash
clock.py          time, with the time asleep
turns.py          one thing after the other, each after a look at the clock
memory.py         what a node remembers from life to life
recording.py      the trace of a node, as it is written and as it is heard
node.py           all of these together: one process of a group
timing.py         how patient it is
addresses.py, discovery.py, security.py    who the others are, where, and how they prove it
service.py, telling.py, customer.py, web.py    the node as its operator sees it: reports, signals, HTTP
cluster.py, child.py, children.py          many nodes on one machine, as processes of their own
merging.py, weaving.py, validation.py      what the traces of a group say together, and whether it was a run
"""
