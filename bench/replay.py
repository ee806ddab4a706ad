"""Learning: 5,000 cards with 10 reviews each replayed, beside the bare calls of FSRS on the same answers.

And what that means for a person: the first look of the day, when everything is worked out anew, and a tap afterwards.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import defaultdict
from datetime import UTC, datetime, timedelta

import fsrs
import world
from report import Progress, Table, met, ms, p50, quick, worked

from bot.app import OWNER
from bot.deck import Deck
from bot.habits import habits
from scheduler.review import Engine, after, replay
from store import cards
from store.model import EntryID, Review, ReviewKind
from store.view import View
from store.writer import Writer

CARDS, REVIEWS = 5_000, 10
REPLAY_MAX_MS = 1_500
NOW = datetime(2024, 5, 27, 5, 0, tzinfo=UTC)
ZONE = "Asia/Shanghai"


def answers() -> list[Review]:
    """Each given a little after it was due; one of five forgotten."""
    drawn = random.Random(5)
    made = []
    for number in range(CARDS):
        card = cards.card_id(f"word{number}")
        now, at = None, int((NOW - timedelta(days=drawn.randint(200, 900))).timestamp() * 1000)
        for _ in range(REVIEWS):
            rating = 1 if drawn.random() < 0.2 else drawn.choice((2, 3, 3, 3, 4))
            made.append(Review(cards.import_id(card, at), EntryID(card), rating, at, zone=ZONE, kind=ReviewKind.IMPORT))
            now = after(now, rating, at, Engine()) if now else replay(made[-1:], Engine())
            at = min(now.due_ms, at + 20 * 86_400_000) + drawn.randint(1, 60_000)
    return made


def bare(log: dict[str, list[tuple[fsrs.Rating, datetime]]]) -> None:
    scheduler = fsrs.Scheduler(enable_fuzzing=False)
    for said in log.values():
        card = fsrs.Card(card_id=1)
        for rating, at in said:
            card, _ = scheduler.review_card(card, rating, at)


async def main(rounds: int) -> None:
    made = answers()
    by_card: dict[str, list[Review]] = defaultdict(list)
    for one in made:
        by_card[one.card].append(one)
    plain = {
        card: [(fsrs.Rating(one.rating), datetime.fromtimestamp(one.at_ms / 1000, UTC)) for one in log]
        for card, log in by_card.items()
    }
    figures: dict[str, list[float]] = defaultdict(list)

    def fill(writer: Writer) -> None:
        for number in range(CARDS):
            cards.add_card(writer, f"word{number}", by=OWNER, at_ms=writer.now_ms)
        figures["keep"].append(worked(lambda: cards.keep_reviews(writer, made)))

    def look(view: View) -> float:
        return worked(lambda: Deck(view, NOW, ZONE, habits(view)).queue())

    def forget(writer: Writer) -> None:
        writer.conn.execute("DELETE FROM card_memory")

    def tap(writer: Writer) -> None:
        deck = Deck(writer, NOW, ZONE, habits(writer))
        card = deck.queue(cap=1000).due[0]
        deck.grade(writer, card.id, 3, slot=deck.slot, attempt=deck.attempt(card.id), by=OWNER)
        deck.queue()

    async with world.scratch() as folder:
        home = await world.copy_of_home(folder, "both", 100)
        async with world.running(home) as app:
            memory = await world.memory_of(app)
            await memory.turn(fill)
            progress = Progress("replaying", rounds)
            for number in range(rounds):
                progress.at(number)
                figures["bare"].append(worked(lambda: bare(plain)))
                figures["replay"].append(worked(lambda: [replay(log, Engine()) for log in by_card.values()]))
                await memory.turn(forget)
                figures["cold"].append(await memory.turn(look))
                figures["warm"].append(await memory.turn(look))
                start = time.perf_counter()
                await memory.turn(tap)
                figures["tap"].append((time.perf_counter() - start) * 1000)
            progress.done()
    base = p50(figures["bare"])
    table = Table(f"{CARDS:,} cards × {REVIEWS} reviews", "what", "p50", "worst", "× bare", "target", "met")
    for what, name, most in (
        ("bare calls of FSRS", "bare", None),
        ("replay", "replay", REPLAY_MAX_MS),
        ("first look: rows read, replayed, kept, queue", "cold", None),
        ("a look afterwards", "warm", None),
        ("a tap by the clock: queue, answer, queue, on disk", "tap", None),
        ("taking in the log of 50,000", "keep", None),
    ):
        mine = p50(figures[name])
        target = ("–", "–") if most is None else (f"≤ {most / 1000} s", met(mine <= most))
        table.row(what, ms(mine), ms(max(figures[name])), f"{mine / base:.2f}", *target)
    table.show()
    print("  processor time, but for the tap")


if __name__ == "__main__":
    asyncio.run(main(2 if quick(__doc__) else 7))
