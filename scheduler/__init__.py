"""When niannian speaks first: what is due, for whom, and that it leaves at most once.

Empty so far. What will live here decides from a table of slots and a given moment; the alarm clock
only wakes it.
"""
