"""How one owner's devices come to hold the same memory through relays that can read nothing.

So far it holds only the device's own keys: read `keys.py`. It carries sealed bytes and interprets
none of the memory; what a change may contain is decided in `store`.
"""
