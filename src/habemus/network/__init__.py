"""The third driver: real processes, real sockets, real clocks, real crashes.

wire/       what goes over the network
    addresses.py      addresses and lists of members
    frames.py         the frames of the protocol
    codec.py          the messages of a stack as bytes
    handshake.py      authentication, and the seals of frames
    security.py       keys and certificates
    connection.py     one TCP connection, either end; dialling.py: how it is made
    link.py           the link to one peer: numbers, acknowledgements, redialling
    listener.py       accepts connections, as many as there is room for
    endpoint.py       a port that peers connect to, for one group or several
    fork.py           what a forked child must not keep
    local.py          what links and connections need of the process at this end

node/       one process of a group
    node.py           the node: start, turns, end; what programs use
    speaker.py        what it tells listeners, and programs that ask
    client.py         one that uses a group and is none of its members
    sequencer.py      one turn after the other, timers, stalls
    stack.py          the layers of the process; synchroniser.py: pulses out of messages
    peers.py          its links and connections
    agreement.py      whether neighbours follow the same leader
    founding.py       whether all have the same members
    memory.py         what it remembers over restarts; storage.py: the file
    promises.py       how peers know whether it remembers everything
    timing.py         time-outs for real networks; clock.py: the clock
    loop.py           the event loop that it runs in
    change.py         what listeners hear; commands.py: what can be asked of it
    recording.py      its trace
    customer.py       a user of the lock, for demonstrations

operate/    nodes as an operator sees them
    options.py        the options of `habemus node`
    service.py        a node with reports and logs; status.py, logs.py; output.py: lines that never block
    signals.py        what tells it to end in order
    http.py           the HTTP endpoints; metrics.py: for Prometheus; web_server.py: what answers requests
    discovery.py      how members find each other; registry.py: one that knows all
    cluster.py        many nodes on one machine; child.py: one of them; parent.py: it dies with its parent
    temporary.py      directories that are removed even if their process was killed

Imports go from operate to node to wire, never back.
"""
