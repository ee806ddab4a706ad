"""Time zones as people write them: an IANA name in any case, or a city's own name. Pure."""

from __future__ import annotations

from functools import cache
from zoneinfo import available_timezones

_CITIES = {
    "北京": "Asia/Shanghai", "上海": "Asia/Shanghai", "中国": "Asia/Shanghai", "香港": "Asia/Hong_Kong",
    "台北": "Asia/Taipei", "东京": "Asia/Tokyo", "新加坡": "Asia/Singapore", "柏林": "Europe/Berlin",
    "伦敦": "Europe/London", "巴黎": "Europe/Paris", "纽约": "America/New_York", "旧金山": "America/Los_Angeles",
    "beijing": "Asia/Shanghai", "san francisco": "America/Los_Angeles", "utc": "UTC",
}  # fmt: skip


def zone_named(text: str) -> str | None:
    """The IANA name, or None when nothing is called so."""
    wanted = text.strip().casefold()
    return _CITIES.get(wanted) or _known().get(wanted.replace(" ", "_"))


@cache
def _known() -> dict[str, str]:
    names = available_timezones()
    by_city = {name.rpartition("/")[2].casefold(): name for name in sorted(names, reverse=True) if "/" in name}
    return by_city | {name.casefold(): name for name in names}
