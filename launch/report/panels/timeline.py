"""The first sample in simulated time: when each core computes for what, and when it is in a request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from emu.errors import InputError
from emu.timing.basis.units import TRANSFER, unit_name
from launch.report.panels.panel import Absent, Drawing, Note, Panel, Values
from launch.report.sources.known import KnownSubject
from launch.report.sources.subject import ReportSubject
from launch.timing.timed_image import TimedImage
from launch.timing.trace import tracks
from launch.tracing.model import Track
from launch.tracing.nodes import first_of

FINEST = 2000  # parts of the latency that are told apart
MOST = 20000  # slices of all cores together
NODES, REQUESTS = "nodes", unit_name(TRANSFER)  # tracks of a core; the others are of units that compute

Cut = tuple[int, int, str]  # begin and end in ps since the sample began, and what it is


def timeline_values(timed: TimedImage, subject: ReportSubject) -> tuple[dict[str, Any] | None, str]:
    """The timeline as plain values, or None and why there is none.

    `cores` have `slices`, in which their units compute for a node, and `requests`, waiting included; both are
    [begin_ps, end_ps, place in `names`]. Neighbours shorter than `resolution_ps` are one, named after the most of it.
    """
    try:
        found = list(tracks(timed, _in_ps))
    except InputError as error:
        return None, str(error)
    names: dict[str, int] = {}
    work = {core: list[Cut]() for core in timed.programs}
    requests = {core: list[Cut]() for core in timed.programs}
    for track in found:
        core, unit = int(track.path[0].split()[-1]), track.path[-1]
        if unit == REQUESTS:
            requests[core] += _cuts(track, lambda name: name.split(":")[0])
        elif unit != NODES:
            work[core] += _cuts(track, lambda name: subject.owner(first_of(name, subject.sources)))
    work = {core: apart(cuts) for core, cuts in work.items()}
    latency = timed.timing.latency
    resolution = max(1, latency // FINEST)
    while sum(len(joined(cuts, resolution)) for part in (work, requests) for cuts in part.values()) > MOST:
        resolution *= 2

    def numbered(cuts: Sequence[Cut]) -> list[list[int]]:
        return [[begin, end, names.setdefault(name, len(names))] for begin, end, name in joined(cuts, resolution)]

    cores = [
        {"core": core, "slices": numbered(cuts), "requests": numbered(requests[core])}
        for core, cuts in sorted(work.items())
    ]
    return {"end_ps": latency, "resolution_ps": resolution, "names": list(names), "cores": cores}, ""


def _in_ps(ps: int) -> int:
    """The clock of the timeline."""
    return ps


def _cuts(track: Track, named: Callable[[str], str]) -> list[Cut]:
    return [(one.begin, one.end, named(one.name)) for one in track.slices]


def apart(cuts: Iterable[Cut]) -> list[Cut]:
    """Cuts of several units in order of time; where units work at once, what began later begins when the other ends."""
    found: list[Cut] = []
    end = 0
    for cut in sorted(cuts):
        if cut[1] > end:
            found.append((max(cut[0], end), cut[1], cut[2]))
            end = cut[1]
    return found


def joined(cuts: Sequence[Cut], resolution: int) -> list[Cut]:
    """`cuts`, in order of time, with neighbours joined until each is as long as `resolution` or stands alone.

    Cuts of one name that touch are one. Nothing longer than `resolution` loses its name or its ends.
    """
    found: list[Cut] = []
    short: list[Cut] = []

    def flush() -> None:
        if short:
            times: dict[str, int] = {}
            for begin, end, name in short:
                times[name] = times.get(name, 0) + end - begin
            _append(found, (short[0][0], short[-1][1], max(times, key=lambda name: times[name])))
            short.clear()

    for cut in cuts:
        begin, end, _ = cut
        if short and begin - short[0][0] >= resolution:
            flush()
        if end - begin >= resolution:
            flush()
            _append(found, cut)
        else:
            short.append(cut)
    flush()
    return found


def _append(found: list[Cut], cut: Cut) -> None:
    if found and found[-1][2] == cut[2] and found[-1][1] == cut[0]:
        found[-1] = (found[-1][0], cut[1], cut[2])
    elif cut[1] > cut[0]:
        found.append(cut)


def _values(known: KnownSubject, absent: Absent) -> Values:
    timed = known.subject.timed
    values, untold = timeline_values(timed, known.subject) if timed else (None, "")
    if untold:
        absent["timeline"] = untold
    return {"timeline": values}


TIMELINE = Panel(
    name="time-line",
    title="Timeline",
    about="the first sample in simulated time: what each core computes for, when it is in a message or request, and the"
    " critical path",
    needs="timeline",
    make=_values,
    blocks=[
        Note(
            [
                "The first sample: a row per core, coloured by the node that it works for; grey below: a message or"
                " request is under way, waiting included; the line: the critical path. Slices shorter than"
                " {timeline.resolution_ps|ps} are joined."
            ]
        ),
        Drawing("timeline"),
    ],
    fields={
        "timeline": {
            "": "of the first sample in simulated time, or null",
            "`end_ps`, `resolution_ps`, `names`, `cores`": "per `core` its `slices`, in which its units compute for a"
            " node, and `requests`, waiting included, each as [begin, end, place in `names`]; slices shorter than the"
            " resolution are joined",
        }
    },
)
