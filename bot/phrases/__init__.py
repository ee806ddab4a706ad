"""What a person's words ask for: text in, one intent out, in time linear in the text, no input an error.

Read in this order: `grammar` (the public `parse`), `commands`, `tasks`, `patterns` and `slash` (what each
command takes), `fields` (a statement and its because / next / verify), `lasting` (until when it is kept), `questions` (with `chinese` and
`english`: is it one, what about), `words` and `tail` (tables and values), `scan` (how text is looked at).
"""
