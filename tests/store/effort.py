"""How many examples a property tries: few in every run, many in the long sweeps. No deadline: machines are busy."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
QUICK = settings(_UNTIMED, max_examples=100)
COSTLY = settings(_UNTIMED, max_examples=20)
SWEEP = settings(_UNTIMED, max_examples=1500)
