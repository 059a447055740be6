"""The first sample of simulated time as tracks: one per unit of a core, slices per ONNX node, flows per message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from emu.isa.instruction import RequestKind as Kind
from emu.program.program import Program
from emu.timing.basis.units import PS_PER_NS, TRANSFER, unit_name
from emu.timing.path.decided import MAIN, At, Decided
from emu.timing.path.run import slices_of
from emu.timing.path.slices import Issue
from launch.timing.timed_image import TimedImage
from launch.tracing.model import Slice, Track
from launch.tracing.nodes import names_of

ORDER = ("nodes", "transfer", "vector", "scalar")  # of the tracks of a core; array groups follow

Clock = Callable[[int], int]  # ns of the file, by ps since the sample began; later is never earlier


def in_ns(ps: int) -> int:
    """Whole nanoseconds; the picoseconds stand beside each slice."""
    return ps // PS_PER_NS


def tracks(timed: TimedImage, clock: Clock = in_ns, group: tuple[str, ...] = ()) -> Iterator[Track]:
    """All tracks with something on them, core by core, in `group`."""
    run = slices_of(timed.setup)
    timing = run.timing
    decided, begin = Decided(timed.setup, run.of), timing.main.begin
    flows = {at: number for number, pair in enumerate(_messages(decided), 1) for at in pair}
    for place, core in enumerate(timing.cores):
        slices = run.of[MAIN, core]
        program, end = timed.programs[core], int(timing.main.ends[place, 0])
        path = (*group, f"core {core}")
        by_name = {"nodes": Track((*path, "nodes"), _issued(program, slices.issues, begin, end, clock))}
        number = 0
        for span in slices.spans:
            name = unit_name(span.unit)
            track = by_name.setdefault(name, Track((*path, name)))
            if span.unit == TRANSFER:
                track.slices.append(_request(program, decided, At(MAIN, core, number, False), begin, flows, clock))
                number += 1
            else:
                node = _node(program, span.first, span.last)
                track.slices.append(_slice(clock, node, span.begin - begin, span.end - begin))
        yield from sorted(by_name.values(), key=_order)


def _slice(
    clock: Clock,
    name: str,
    begin: int,
    end: int,
    inner: tuple[Slice, ...] = (),
    starts: tuple[int, ...] = (),
    ends: tuple[int, ...] = (),
) -> Slice:
    """A slice from `begin` to `end`, ps since the sample began."""
    return Slice(name, clock(begin), clock(end), inner, starts, ends, (("begin_ps", begin), ("end_ps", end)))


def _order(track: Track) -> tuple[int, int]:
    name = track.path[-1]
    if name in ORDER:
        return ORDER.index(name), 0
    return len(ORDER), int(name.split()[-1])


def _messages(decided: Decided) -> Iterator[tuple[At, At]]:
    """Send and receive of every message."""
    for at in decided.all(MAIN):
        if decided.ask(at).kind == Kind.SEND:
            yield decided.pair(at)


def _issued(program: Program, issues: Sequence[Issue], begin: int, end: int, clock: Clock) -> list[Slice]:
    """What the core works on, one slice per node as long as that does not change."""
    starts = [*(issue.begin - begin for issue in issues), end - begin]
    found = [
        (_node(program, issue.first, issue.last), start, stop)
        for issue, (start, stop) in zip(issues, pairwise(starts), strict=True)
    ]
    groups = [list(group) for _, group in groupby(found, key=itemgetter(0))]
    return [_slice(clock, group[0][0], group[0][1], group[-1][2]) for group in groups]


def _request(program: Program, decided: Decided, at: At, begin: int, flows: dict[At, int], clock: Clock) -> Slice:
    asked, ask = decided.asked(at), decided.ask(at)
    index, kind = asked.index, Kind(ask.kind)
    peer = f" core {ask.first}" if kind in (Kind.SEND, Kind.RECV, Kind.SYNC) else ""
    name = f"{kind.name.lower()}{peer}: {_node(program, index, index)}"
    start, end = asked.start - begin, asked.end - begin
    flow = (flows[at],) if at in flows else ()
    if kind != Kind.RECV:
        return _slice(clock, name, start, end, (), flow)
    arrived = _slice(clock, "write", end - ask.write, end, (), (), flow)  # where the arrow ends: not before it begins
    return _slice(clock, name, start, end, (arrived,))


def _node(program: Program, first: int, last: int) -> str:
    """The nodes of the instructions [first, last]."""
    return names_of(program, program.main.columns["source"][first : last + 1])
