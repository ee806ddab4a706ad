"""Every write goes through the one queue of `store/db.py`."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from tests.house.files import name_of, sources

TRANSACTION = re.compile(r"\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b")
MAY_BEGIN = {"store/sql.py", "store/schema.py", "store/copies.py"}
"""The last one only reads, one state from first page to last."""
SQL_CALLS = {"execute", "executemany", "executescript", "execute_fetchall", "execute_insert"}


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def is_sql_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SQL_CALLS


def test_a_transaction_begins_and_ends_in_one_place() -> None:
    found = [
        f"{name_of(path)}:{node.lineno}"
        for path in sources()
        if name_of(path) not in MAY_BEGIN
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and TRANSACTION.match(node.value)
    ]
    assert found == []


def test_no_statement_is_awaited_outside_the_door() -> None:
    """Between two awaits another task's row would slip into our transaction and vanish with its rollback."""
    found = []
    for path in sources():
        for node in nodes(path):
            awaited = (
                [node.value]
                if isinstance(node, ast.Await)
                else [item.context_expr for item in node.items]
                if isinstance(node, ast.AsyncWith)
                else []
            )
            if name_of(path) != "store/db.py" and any(is_sql_call(value) for value in awaited):
                found.append(f"{name_of(path)}:{awaited[0].lineno}")
    assert found == []


def test_only_the_store_speaks_sql() -> None:
    found = [
        f"{name_of(path)}:{node.lineno}"
        for path in sources("bot", "sync", "scheduler")
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr in SQL_CALLS
    ]
    assert found == []
