"""The chat edges: each turns its own events into `Inbound` and shows a `Reply` in its own look.

An edge changes how words look, never the words, and does not know the router: it is given a function
from `Inbound` to `Reply`. Read `bot/ports.py` for the contract, then `terminal.py`.
"""
