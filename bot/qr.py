"""A QR code as text: two rows of modules a line, dark on light whatever the terminal's own colours are."""

from __future__ import annotations

import segno

BORDER = 2
_BLACK_ON_WHITE = "\x1b[30;107m"
_RESET = "\x1b[0m"
_HALVES = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}


def drawn(text: str) -> str:
    code = segno.make(text, error="l", micro=False, boost_error=False)
    rows = [[int(bool(module)) for module in row] for row in code.matrix_iter(border=BORDER)]
    if len(rows) % 2:
        rows.append([0] * len(rows[0]))
    lines = []
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        halves = "".join(_HALVES[pair] for pair in zip(upper, lower, strict=True))
        lines.append(f"{_BLACK_ON_WHITE}{halves}{_RESET}")
    return "\n".join(lines)
