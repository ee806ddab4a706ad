"""Presses on buttons, and the answers they got."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.emulators.telegram.refusals import refusal
from tests.emulators.telegram.world import Message, User

ANSWERABLE = timedelta(minutes=15)


@dataclass(slots=True, eq=False)
class Press:
    by: User
    message: Message
    data: str
    at: datetime
    answers: list[tuple[str, bool]] = field(default_factory=list)
    """(toast, shown as an alert); the toast is "" when the press was only acknowledged."""


class Presses:
    def __init__(self) -> None:
        self.all: dict[str, Press] = {}

    def new(self, by: User, message: Message, data: str, at: datetime) -> str:
        query_id = str(4_382_000_000_000_000_001 + len(self.all))
        self.all[query_id] = Press(by, message, data, at)
        return query_id

    def answer(self, query_id: str, toast: str, alert: bool, now: datetime) -> None:
        """Twice is fine. Raises Refusal for a press nobody made, or one too old."""
        press = self.all.get(query_id)
        if press is None or now - press.at > ANSWERABLE:
            raise refusal("query-too-old")
        press.answers.append((toast, alert))
