"""The costs of steps, messages and instructions as tables, and as a block of a Markdown page."""

from __future__ import annotations

from collections.abc import Iterable

from launch.bench.costs import STEPS, Costs, MessageCost
from launch.bench.tables import number
from launch.text.answer import Table
from launch.text.markdown_page import markdown_table
from launch.text.units import size_text

MESSAGE_COLUMNS = ("step", "what is timed", "one, us", "ours, times", "ours, us", "bare, times", "bare, us")
CHAIN_COLUMNS = (
    *("processes", "size", "ours, us of processor", "bare", "ratio"),
    *("ours, us that pass", "bare", "ratio", "ours, wake-ups", "bare"),
)
INSTRUCTION_COLUMNS = ("what", "ours, us", "bare NumPy, us", "above it, us")


def cost_tables(costs: Costs) -> list[Table]:
    """All tables, in the order in which they are read."""
    return [*map(message_table, costs.messages), chain_table(costs), instruction_table(costs)]


def message_table(message: MessageCost) -> Table:
    """The steps of a message, their sum, and what is measured."""
    chain, calls, bare = message.chain, message.calls, message.bare_calls
    rows = [
        (step, what, _us(one := message.seconds[step]), *_part(calls.get(step), one), *_part(bare.get(step), one))
        for step, what in STEPS.items()
    ]
    both, sums = (chain.ours, chain.bare), message.sums()
    measured = [each.processor for each in both]
    rest = [total - known for total, known in zip(measured, sums, strict=True)]
    for name, what, (ours, other) in (
        ("sum", "", sums),
        ("rest", "misses of caches, Python between these steps, wake-ups of idle processors, the scheduler", rest),
        ("message", f"measured: processor time of all {chain.processes} processes, for one message", measured),
        ("", "of it in ZeroMQ's threads", [each.processor - each.own for each in both]),
    ):
        rows.append((name, what, "", "", _us(ours), "", _us(other)))
    title = f"a message of {size_text(chain.size)} through {chain.processes} processes"
    return Table(title, MESSAGE_COLUMNS, rows, "ll" + "r" * 5)


def _part(times: float | None, one: float) -> tuple[str, str]:
    return ("", "") if times is None else (f"{times:.1f}", _us(times * one))


def chain_table(costs: Costs) -> Table:
    """Messages through rings of processes."""
    rows = [
        (
            str(chain.processes),
            size_text(chain.size),
            *_both(chain.ours.processor, chain.bare.processor),
            *_both(chain.ours.wall, chain.bare.wall),
            *(f"{each.wakes:.1f}" for each in (chain.ours, chain.bare)),
        )
        for chain in costs.chains
    ]
    return Table("messages that processes hand on", CHAIN_COLUMNS, rows, "r" * len(CHAIN_COLUMNS))


def _both(ours: float, bare: float) -> tuple[str, str, str]:
    return _us(ours), _us(bare), f"{number(ours / bare)}x"


def instruction_table(costs: Costs) -> Table:
    """Instructions in a core that is warm."""
    rows = [
        (each.what, _us(each.ours), *(("", "") if each.bare is None else (_us(each.bare), _us(each.ours - each.bare))))
        for each in costs.instructions
    ]
    return Table("instructions", INSTRUCTION_COLUMNS, rows, "lrrr")


def _us(seconds: float) -> str:
    return number(seconds * 1e6)


def costs_block(costs: Costs, machine: str) -> str:
    """What a page holds of the costs."""
    shown: Iterable[str] = (
        f"{table.title[:1].upper()}{table.title[1:]}:\n\n{markdown_table(table)}" for table in cost_tables(costs)
    )
    return "\n\n".join([f"{machine}.", *shown])
