"""Meaning as numbers: what turns a text into a vector, in a process of its own.

A model may be slow, large, hang, or stop its process on a processor it was not built for. None of that may touch
the program that answers, so a model lives in a child process and is asked over two pipes.
Read `frames.py` (what goes through the pipes), `models.py` (the three models), `child.py` (the other side),
`talk.py`
and `process.py` (our side), and last `make.py`, which is what others call.
"""
