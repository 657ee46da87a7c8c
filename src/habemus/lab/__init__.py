"""The lab: the page where coordination is seen, broken and understood.

A small server on this machine gives the page its files and answers its questions. It computes nothing itself: every
run, search and sweep happens in a worker, a process of its own with a limit on time and memory. So a page cannot stop
the server, whatever it asks for, and code of one's own runs where nothing else does.

    server.py     the addresses that the page knows            guard.py     who may ask
    workers.py    the processes that do the work               worker.py    one of them, seen from inside
    questions.py  what a page may ask for, checked             answers.py   what each question is answered by
    running.py    a run as the page shows it                   stepping.py  a run that is chosen step by step
    entries.py    the catalogue, sources, named scenarios      exporting.py a run as a file
    live.py       a cluster of real processes                  notebook.py  `habemus.show`
"""
