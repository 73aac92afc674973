"""One gate for drawing and one scheduler for computing.

Every run of a page is a thread of the server, and all of them share Python's lock. So a run draws
only while it holds the gate (gate.py), and what takes longer than a blink is computed by a worker
process that the scheduler (scheduler.py) gives one task after the other::

    a control moves --+
    a page begins ----+--> GATE: one lock, three priorities --> the run draws, and sends messages
    parts below ------+      CONTROL > FIRST > LATER              |                     ^
                                                                  | wait_for: leaves    | takes it
    strips, figures of stops (live.py): LATER                     v the gate (waiting)  | again
       .------------------------------------------------- SCHEDULER.start(call, kind) --+
       |  kept? the result     under way for somebody? join it     quick? here, at once |
       |                                                                                |
       +--> one queue: what somebody waits for > what is prepared > frames of sliders --+
              | SHORT: ends within a second or so   | LONG: the rest     | FRAMES: newest first
              v                                     v                    v
          worker process, nice 5        worker process, nice 10   worker process, nice 15
          (worker.py)                   or a cluster (cluster.py)
              '-------------------------+-- copies of one process (processes.py), each from its first
                                            task until it has had nothing to do for a while

A task that takes longer than it may in SHORT begins again in LONG; one of FRAMES gives way to
newer ones. A task is stopped when its last visitor leaves, by the end of its process if need be.
"""
