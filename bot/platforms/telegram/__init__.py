"""Telegram as a platform: long polling by our own loop, plain text with entities, one bot per token.

Read `updates.py` (what comes, with `people`, `addressing`, `changes`), then `entities.py` and `keyboard.py` (how a
reply looks), `limits.py`, and last what talks to the server: `client.py`, `sending.py`, `polling.py`, `edge.py`.
"""
