"""A service group to look at: real voters, real workers, and a store that compares tokens. `habemus up --group orders`.

group.py    the processes, as their parent knows them: who holds which lock, who waits, until when
child.py    one of the processes: a voter
worker.py   one of the processes: a worker, which uses the locks
store.py    what the workers write to
"""
