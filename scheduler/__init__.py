"""When niannian speaks first: what is due at a given moment, and the alarm that wakes whoever says it.

Read `slots.py`, which is pure, then `alarm.py`. Who says what, and that it leaves once, is `bot/ringing.py`.
"""
