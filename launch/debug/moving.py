"""Commands that run the chip forwards or backwards, and the lines about where it stops."""

from __future__ import annotations

from collections.abc import Iterator

from emu.debug.ending import End
from emu.debug.session import StandstillReason, Stop
from emu.wording import counted
from launch.debug.debugger import Debugger
from launch.debug.deciding import faults, split_test
from launch.debug.places import place_line, sample_text
from launch.debug.spots import parse_spot
from launch.debug.words import Words, core_of


def stop_lines(debugger: Debugger) -> Iterator[str]:
    """Why the chip has stopped, and where."""
    session, stop = debugger.session, debugger.session.stop
    head = _head(debugger, stop)
    if head:
        yield head
    if stop.ending is None or stop.ending.end is not End.FINISHED:
        yield place_line(debugger.chip, session.focus)


def _head(debugger: Debugger, stop: Stop) -> str:
    chip = debugger.chip
    if stop.why is StandstillReason.BEGIN:
        cores, samples = counted(len(chip.cores), "core"), counted(chip.subject.samples, "sample")
        return f"{debugger.image.path}: {cores} with a program, {samples}; nothing has run yet"
    if stop.why is StandstillReason.SAMPLE:
        return f"sample {chip.sample} is about to begin"
    if stop.why is StandstillReason.HALTED:
        return f"core {stop.core} has halted; step again to run to its first instruction of the next sample"
    if stop.why is StandstillReason.INTERRUPT:
        return f"interrupted in {sample_text(chip)}"
    if stop.trap is not None:
        return f"trap: {stop.trap}"
    if stop.ending is not None:
        through = f"the end: {counted(chip.subject.samples, 'sample is', 'samples are')} through"
        return through if stop.ending.end is End.FINISHED else stop.ending.text
    points = debugger.session.breakpoints
    reached = [(number, points[number]) for number in stop.numbers if number in points]
    texts = [f"breakpoint {number}: {point.text}" for number, point in reached]
    return "; ".join([*texts, *filter(None, (faults(point.conditions) for _, point in reached))])


def step(debugger: Debugger, words: Words) -> Iterator[str]:
    """`step [N]`."""
    count = words.whole("the number of instructions", 1, least=1)
    words.end()
    debugger.session.step(count)
    return stop_lines(debugger)


def next_(debugger: Debugger, words: Words) -> Iterator[str]:
    """`next`."""
    words.end()
    debugger.session.next()
    return stop_lines(debugger)


def leave(debugger: Debugger, words: Words) -> Iterator[str]:
    """`leave`."""
    words.end()
    debugger.session.leave()
    return stop_lines(debugger)


def proceed(debugger: Debugger, words: Words) -> Iterator[str]:
    """`continue`."""
    words.end()
    debugger.session.proceed()
    return stop_lines(debugger)


def until(debugger: Debugger, words: Words) -> Iterator[str]:
    """`until SPOT`."""
    place, test = split_test(words, debugger)
    debugger.session.until((*parse_spot(place, debugger), *test))
    return filter(None, (faults(test), *stop_lines(debugger)))


def run(debugger: Debugger, words: Words) -> Iterator[str]:
    """`run SAMPLE`."""
    sample = words.whole("the sample")
    words.end()
    debugger.session.to_sample(sample)
    return stop_lines(debugger)


def back(debugger: Debugger, words: Words) -> Iterator[str]:
    """`back [N|stop]`."""
    if words.accept("stop"):
        words.end()
        debugger.session.back_to_stop()
        return stop_lines(debugger)
    count = words.whole("the number of instructions", 1, least=1)
    words.end()
    debugger.session.back(count)
    return stop_lines(debugger)


def core(debugger: Debugger, words: Words) -> Iterator[str]:
    """`core N`."""
    number = core_of(words, debugger.chip)
    words.end()
    debugger.session.look_at(number)
    yield place_line(debugger.chip, number)
