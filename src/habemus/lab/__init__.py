"""The lab: the page where coordination is seen, broken and understood.

A small server on this machine serves the page and answers its requests. It computes nothing itself: every run, search
and sweep happens in a worker, a separate operating system process with limits on time and memory. So no request can
block or crash the server, and a user's own code runs isolated (`habemus/sandbox.py`).

    server.py     the routes of the server                     guard.py     which requests are allowed
    connections.py    the connections of browsers, limited
    workers.py    the pool of workers, on the server's side    worker.py    the main loop of a worker
    questions.py  the requests, parsed and validated           answers.py   how each request is answered, in a worker
    running.py    a run as the page shows it                   stepping.py  a run that is chosen step by step
    entries.py    the catalogue, sources, named scenarios      exporting.py a run as a file
    live.py       a cluster of real processes                  notebook.py  `habemus.show`
    printing.py   what a user's own code prints                static/      the page

The page is plain ES modules, without a build step. A folder imports only from those above it in this list:

    model/     a run: transmissions of messages, histories of processes, the time axis, causality
    words/     texts in English and Portuguese            drawing/  colours, icons, label placement, the frame loop
    widgets/   elements, menu, dialog                     stories/  the texts of the guided stories
    store/     what is on the screen (`lab`), the server's API, the catalogue
    stage/     processes, links, messages at one moment   diagram/  lanes, arrows, marks and labels over time
    timeline/  playback, property strips, branches        faults/   faults by hand, and the script
    setup/     the form that says what to run
    drawer/    state, source, events, script, figures     modes/    gallery, stories, step, check, measure, own, live
    share/     links and exported files
    page/      banner, keys, help, layout
"""
