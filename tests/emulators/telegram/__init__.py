"""The Bot API of Telegram as one bot meets it: people who type and press, and every refusal that we know of.

Read `server.py` for what a test holds in its hands, `people.py` for what people can do, then `world.py` (what there
is), `updates.py` (what the bot hears), `methods.py` and `lookups.py` (what it may ask), `checks.py` and `refusals.py`
(what it is told instead), `faults.py` (what goes wrong on the way). `oracle.py` lets two other libraries judge us.
"""
