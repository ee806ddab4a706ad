"""Every answer that is a no: its code and its words, as the real server writes them.

Clients match on these words, so a typing mistake here hides one there.
"""

from __future__ import annotations

from typing import Any


class Refusal(Exception):
    """Raised by a method; becomes `{"ok": false, ...}` with `code` as the HTTP status too."""

    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters

    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = {"ok": False, "error_code": self.code, "description": self.description}
        if self.parameters:
            body["parameters"] = self.parameters
        return body


_NAMED = {
    # 400: the call was wrong, or too late
    "not-modified": (
        400,
        "Bad Request: message is not modified: specified new message content and reply markup are exactly the same "
        "as a current content and reply markup of the message",
    ),
    "edit-not-found": (400, "Bad Request: message to edit not found"),
    "not-editable": (400, "Bad Request: message can't be edited"),
    "delete-not-found": (400, "Bad Request: message to delete not found"),
    "not-deletable": (400, "Bad Request: message can't be deleted"),
    "react-not-found": (400, "Bad Request: message to react not found"),
    "reaction": (400, "Bad Request: REACTION_INVALID"),
    "reply-not-found": (400, "Bad Request: message to be replied not found"),
    "query-too-old": (400, "Bad Request: query is too old and response timeout expired or query ID is invalid"),
    "entities": (400, "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 0"),
    "thread-not-found": (400, "Bad Request: message thread not found"),
    "chat-not-found": (400, "Bad Request: chat not found"),
    "user-not-found": (400, "Bad Request: user not found"),
    "empty": (400, "Bad Request: message text is empty"),
    "too-long": (400, "Bad Request: message is too long"),
    "caption-too-long": (400, "Bad Request: message caption is too long"),
    "button-data": (400, "Bad Request: BUTTON_DATA_INVALID"),
    "not-utf8": (400, "Bad Request: strings must be encoded in UTF-8"),
    "file": (400, "Bad Request: wrong file_id or the file is temporarily unavailable"),
    "file-empty": (400, "Bad Request: file must be non-empty"),
    "no-rights": (400, "Bad Request: not enough rights to send text messages to the chat"),
    # 401, 404, 409: who asks
    "401": (401, "Unauthorized"),
    "404": (404, "Not Found"),
    "409": (
        409,
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    ),
    "409-webhook": (
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    ),
    # 403: nobody there any more
    "blocked": (403, "Forbidden: bot was blocked by the user"),
    "deactivated": (403, "Forbidden: user is deactivated"),
    "never-wrote": (403, "Forbidden: bot can't initiate conversation with a user"),
    "bot-to-bot": (403, "Forbidden: bot can't send messages to bots"),
    "kicked": (403, "Forbidden: bot was kicked from the group chat"),
    "kicked-supergroup": (403, "Forbidden: bot was kicked from the supergroup chat"),
    "not-member": (403, "Forbidden: bot is not a member of the group chat"),
    "not-member-supergroup": (403, "Forbidden: bot is not a member of the supergroup chat"),
    # 5xx: theirs
    "500": (500, "Internal Server Error"),
    "502": (502, "Bad Gateway"),
    "504": (504, "Gateway Timeout"),
}


def refusal(name: str) -> Refusal:
    """Raises KeyError for a name that is not in the table."""
    return Refusal(*_NAMED[name])


def bad(words: str) -> Refusal:
    return Refusal(400, f"Bad Request: {words}")


def too_many(retry_after: int) -> Refusal:
    return Refusal(429, f"Too Many Requests: retry after {retry_after}", retry_after=retry_after)


def upgraded(new_id: int) -> Refusal:
    words = "group chat was upgraded to a supergroup chat"
    return Refusal(400, f"Bad Request: {words}", migrate_to_chat_id=new_id)
