"""What an agent may do with one memory, as named tools over plain values; no model and no protocol is known here.

Read `tool.py` (what a tool is), `fields.py` (what it takes), `shown.py` (what it gives), then `reading.py`, `writing.py`
and `boards.py`; `wishes.py` for what only a person may do; `hermes.py` for the shapes of another program; `tools.py`
lists them all.
"""
