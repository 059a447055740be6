"""A picture of a running chip in a few lines of text: the state of every core, and the progress of the samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from emu.noc.watch.board import Activity, Board, BoardWord

Piece = tuple[str, str]  # a text, and its colour ("" for none)
Line = list[Piece]
GAP = "  "


@dataclass(frozen=True, slots=True)
class State:
    """A visible state of a core: its sign on the map, its colour, and the activities that it stands for."""

    name: str
    sign: str
    colour: str
    activities: tuple[Activity, ...]


STATES = (
    State("running", "#", "green", (Activity.RUNNING,)),
    State("blocked", "=", "yellow", (Activity.SEND, Activity.RECV, Activity.WAIT)),
    State("at memory", "~", "cyan", (Activity.LOAD, Activity.STORE)),
    State("starting", "?", "", (Activity.STARTING, Activity.BINDING, Activity.GREETING, Activity.READY)),
    State("idle", ".", "", (Activity.IDLE,)),
    State("done", "-", "blue", (Activity.HALTED,)),
    State("failed", "X", "red", (Activity.TRAPPED,)),
)
OF_ACTIVITY = {activity: state for state in STATES for activity in state.activities}
NO_PROGRAM = " "


@dataclass(frozen=True, slots=True)
class Cores:
    """The cores of one chip: the activity of each that has a program, by number, and nodes in a row of its mesh."""

    activities: Mapping[int, Activity]
    width: int


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Samples done of all, messages and bytes sent so far, seconds since the first sample, and rates per second."""

    done: int
    total: int
    seconds: float
    samples_per_second: float
    messages: int = 0
    messages_per_second: float = 0.0
    bytes_per_second: float = 0.0


def picture(chips: Sequence[Cores], progress: RunProgress, columns: int, rows: int) -> list[Line]:
    """At most `rows` lines of at most `columns` characters: the samples, counts of cores and, if it fits, maps."""
    lines = [fitted(figures(progress), columns)]
    counted = counts(chips)
    maps = [core_map(chip, columns, (rows - 2) // len(chips)) for chip in chips]
    if counted:
        lines.append(fitted([_count(state, count, all(maps)) for state, count in counted], columns))
        lines += [line for part in maps for line in part] if all(maps) else []
    return lines[:rows]


def figures(progress: RunProgress) -> list[Line]:
    """Figures of the samples, the most important ones first."""
    seconds = int(progress.seconds)
    parts = [f"samples {progress.done}/{progress.total}", f"{seconds // 60}:{seconds % 60:02d}"]
    if progress.samples_per_second:
        parts.append(f"{short(progress.samples_per_second)} samples/s")
    if progress.messages:
        parts.append(f"{short(progress.messages_per_second)} messages/s")
        rate = short(progress.bytes_per_second)
        parts.append(f"{rate}B/s" if " " in rate else f"{rate} B/s")
    return [[(text, "")] for text in parts]


def counts(chips: Sequence[Cores]) -> list[tuple[State, int]]:
    """How many cores are in each state that some core is in."""
    states = [OF_ACTIVITY[activity] for chip in chips for activity in chip.activities.values()]
    return [(state, count) for state in STATES if (count := sum(other is state for other in states))]


def _count(state: State, count: int, sign: bool) -> Line:
    return [(state.sign, state.colour), (f" {count} {state.name}", "")] if sign else [(f"{count} {state.name}", "")]


def core_map(chip: Cores, columns: int, rows: int) -> list[Line]:
    """One character per core: the rows of the mesh or, where these do not fit, core after core; else nothing."""
    last = max(chip.activities, default=-1)
    for width in (min(chip.width, last + 1), columns):
        if 0 < width <= columns and -(-(last + 1) // width) <= rows:
            return [_row(chip, range(first, min(first + width, last + 1))) for first in range(0, last + 1, width)]
    return []


def _row(chip: Cores, cores: range) -> Line:
    """The characters of some cores; neighbours of one colour are one piece."""
    line: Line = []
    for core in cores:
        activity = chip.activities.get(core)
        sign, colour = (
            (NO_PROGRAM, "") if activity is None else (OF_ACTIVITY[activity].sign, OF_ACTIVITY[activity].colour)
        )
        if line and line[-1][1] == colour:
            line[-1] = (line[-1][0] + sign, colour)
        else:
            line.append((sign, colour))
    return line


def fitted(parts: Sequence[Line], columns: int) -> Line:
    """As many parts, from the first on, as fit into one line; of the first, as much as fits."""
    line: Line = []
    room = columns
    for part in parts:
        size = sum(len(text) for text, _ in part) + (len(GAP) if line else 0)
        if size > room and line:
            break
        line += [(GAP, "")] if line else []
        line += list(_cut(part, room))
        room -= size
    return line


def _cut(part: Line, room: int) -> Iterator[Piece]:
    for text, colour in part:
        if room > 0:
            yield text[:room], colour
        room -= len(text)


def short(value: float) -> str:
    """A number with three digits and, from a thousand on, a unit: `1.53 M`."""
    units = ["", "k", "M", "G", "T"]
    while value >= 999.5 and len(units) > 1:
        value /= 1000
        units.pop(0)
    digits = 0 if value >= 99.5 or value == int(value) else 1 if value >= 9.95 else 2
    return f"{value:.{digits}f} {units[0]}".rstrip() if units[0] else f"{value:.{digits}f}"


def activities_of(board: Board, samples: int) -> dict[int, Activity]:
    """The activity of each core; one that is idle after all `samples` of the run counts as halted."""
    rows = board.rows
    over = (rows[:, BoardWord.ACTIVITY] == Activity.IDLE) & (rows[:, BoardWord.FINISHED] > samples)
    numbers = np.where(over, Activity.HALTED, rows[:, BoardWord.ACTIVITY])
    return {core: Activity(number) for core, number in zip(board.cores, numbers.tolist(), strict=True)}
