"""What the bot can be asked to do, one family a file.

A command takes an `Intent` and a `Memory`, and returns a `Reply`. It knows no platform and no other
family. Read `remember.py` first, then `recall.py`; the others follow the same shape.
"""
