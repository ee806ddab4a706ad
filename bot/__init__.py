"""What a person says and what niannian answers: from a platform's message to a `Reply` and back.

Read `message.py` (a message in, an answer out), then `router.py` (which answers what), then the road
a message takes: `platforms/terminal.py`, `gateway.py`, `phrases/` and `intents.py`, `commands/`,
`render.py` with `words.py` and `locales/`. `app.py` builds everything and is the only file that knows
everyone; `cli.py` is the door from the shell, `config.py` the one reader of settings.
"""
