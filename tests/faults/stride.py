"""How densely the long sweeps step: every n-th point in `.ci/run`, each one with `NIANNIAN_SWEEPS=all`.

Variants of one sweep step from different places, so that together they meet every statement.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from tests.faults.raising import Failing

_PLACES = {Failing.BEFORE: 0, Failing.AFTER: 1, Failing.TWICE: 2, Failing.KILL_BEFORE: 0, Failing.KILL_AFTER: 1}


def points(total: int, failing: Failing, every: int) -> Sequence[int]:
    if os.environ.get("NIANNIAN_SWEEPS") == "all":
        return range(1, total + 1)
    return range(1 + _PLACES[failing], total + 1, every)
