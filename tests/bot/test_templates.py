"""Requests with what changes in them taken out."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.phrases.templates import CHARACTERS_MAX, has_slots, same, slug_of, template_of, with_slots

TODAY = date(2024, 5, 27)


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("待办：5月13日前交第 20 周周报", "待办：{date}前交第 {number} 周周报"),
        ("明天早上9点提醒我给王老师打电话", "{date}{time}提醒我给王老师打电话"),
        ("remind me tomorrow at 9 am to water the fig", "remind me {date} at {time} to water the fig"),
        ("todo: send Noor the numbers of week 18", "todo: send {name} the numbers of week {number}"),
        ("what did we decide about “the roof” last week?", "what did we decide about {words} {date}?"),
        ("done with T-240527-01 and its three reports", "done with {ref} and its three reports"),
        ("board", ""),
        ("todo: task 5", ""),
        ("keep {this} as it is for me", ""),
        ("word " * CHARACTERS_MAX, ""),
    ],
)
def test_templates(text: str, template: str) -> None:
    assert template_of(text, TODAY) == template


def test_people_of_the_memory_are_names() -> None:
    assert template_of("待办：把合同发给小王和小李", TODAY, ("小王", "小李")) == "待办：把合同发给{name}和{name}"
    assert "{name}" not in template_of("待办：把合同发给小王和小李", TODAY)


def test_spelling_does_not_matter() -> None:
    one, other = (
        template_of("Todo:  send the numbers of week 18", TODAY),
        template_of("todo: send the numbers of week 19", TODAY),
    )
    assert one != other and same(one) == same(other) and has_slots(one)


def test_how_it_is_shown() -> None:
    shown = {slot: f"[{slot}]" for slot in ("date", "time", "number", "name", "words", "ref")}
    assert with_slots("send {name} week {number}", shown) == "send [name] week [number]"
    assert slug_of("Send {name} the numbers of week", "x") == "send-the-numbers-of"
    assert slug_of("待办：{date}交周报", "habit-1") == "habit-1"


@given(st.text(max_size=120))
def test_any_text_has_a_template_or_none(text: str) -> None:
    template = template_of(text, TODAY)
    assert template == "" or (template.count("{") == template.count("}") and same(template))


@given(st.integers(0, 9999), st.integers(0, 9999))
def test_numbers_make_no_difference(one: int, other: int) -> None:
    form = "please add row {} to the ledger of the house"
    assert template_of(form.format(one), TODAY) == template_of(form.format(other), TODAY)
