"""Buttons under a message."""

from __future__ import annotations

from collections.abc import Sequence

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from bot.message import Button

DATA_BYTES_MAX = 64
ROW_MAX = 4
PRIVATE = "private"
"""The action that no event comes from: the button opens the chat with the bot."""


def keyboard(buttons: Sequence[Button], username: str) -> InlineKeyboardMarkup | None:
    """One row, as long as there are no more than four; None without buttons."""
    shown = [_button(button, username) for button in buttons]
    rows = [shown[at : at + ROW_MAX] for at in range(0, len(shown), ROW_MAX)]
    return InlineKeyboardMarkup(rows) if rows else None


def _button(button: Button, username: str) -> InlineKeyboardButton:
    if button.action == PRIVATE:
        return InlineKeyboardButton(button.label, url=f"https://t.me/{username}")
    assert 1 <= len(button.action.encode()) <= DATA_BYTES_MAX
    return InlineKeyboardButton(button.label, callback_data=button.action)
