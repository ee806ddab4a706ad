"""Reading other people's files: `files` → `encoding` → `detect` → one reader a format → `store.pieces`.

Each reader is pure and total: whatever the bytes, it gives what it could read and names what it could not.
"""
