"""Golden conversations: the script of `VOICE.md` §3, played against the real program.

Read in this order: `conversations.golden` (the script), `steps.py` (what it is made of), `script.py` (its grammar),
`match.py` and `manners.py` (what a reply must be), `runner.py` (one conversation, step by step), `platforms.py` (where
it is played), `device.py` and `child.py` (one process a device), `screen.py` (a pseudo-terminal), `faults.py`,
`test_conversations.py`.
"""
