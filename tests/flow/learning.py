"""Learning by hand: what the tests of cards do and look at again and again."""

from __future__ import annotations

from bot.commands import words
from bot.message import Reply
from store import cards
from store.grants import PrivateClaim, grant
from store.memory import Memory
from store.model import AccountID, Review
from tests.flow.world import Person, World

OWNER = AccountID("terminal:owner")


async def memory_of(world: World) -> Memory:
    return await world.app.home.memory(grant(PrivateClaim(OWNER), world.app.home.device))


async def reviews(world: World) -> list[Review]:
    memory = await memory_of(world)
    return await memory.read(cards.all_reviews)


async def push(world: World, lin: Person) -> Reply | None:
    """Today's words, as they are said unasked, in front of Lin."""
    inbound = lin.session.inbound()
    scope = grant(PrivateClaim(OWNER), world.app.home.device).scope
    reply = await world.app.gateway.unasked(inbound, scope, words.push, about="")
    if reply is not None:
        lin.last = reply
        lin.session.show(reply)
    return reply


async def learned(world: World, lin: Person, *some: str, at: str) -> None:
    """These words are cards, and each was known once on that day."""
    world.at(at)
    await lin.say("/add " + ", ".join(some))
    await lin.say("/today")
    for _ in some:
        await lin.press("Show answer")
        await lin.press("Knew it")


def first(text: str) -> str:
    return text.split("\n")[0]
