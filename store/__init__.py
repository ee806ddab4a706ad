"""One scope, one folder, one database: the log of changes is the truth, everything else is derived.

Read `model.py` (what a memory is made of) and `errors.py`, then upward in the order of data:
`ids.py`, `changes.py` (what a change may contain), `document.py` (the log's format), `fold.py` (keys to
what is visible), `db.py` (one write, one transaction), `schema.py`, `projection.py` and `index.py` (the
derived tables), `view.py` (rows to values), `writer.py` and `erase.py` (changing), `query.py` and `recall.py`
(asking), and last `memory.py`, which is what others call.
`device.py` is this installation's own database, `home.py` the folder that holds them all.
"""
