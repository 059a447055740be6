"""The search: the default, where the goal begins, then always what is near the best candidate of which something is.

With a budget of candidates it depends on the request, the goal and the seed alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from random import Random

from compiler.request import CompileRequest
from compiler.search.candidates import Candidates
from compiler.search.figures import Judge, SampleFigures
from compiler.search.goals import SearchGoal
from compiler.search.moves import MoveScene, near
from compiler.search.space import Key, Settings, applied, changed, free_choices, key_of
from emu.errors import EmuError, InputError


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """When a search ends: after so many `seconds`, or `candidates`; None: no such limit."""

    seconds: float | None = None
    candidates: int | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate: what it has in other ways than the request, its figures, or the `reason` why there are none.

    `seconds` is when it was known, since the search began.
    """

    number: int
    settings: Settings
    figures: SampleFigures | None
    reason: str = ""
    seconds: float = 0.0


@dataclass(slots=True)
class SearchState:
    """What a search has found so far; `ended` says why it is over."""

    goal: SearchGoal
    tried: list[Tried] = field(default_factory=list[Tried])
    best: Tried | None = None
    ended: str = ""
    seconds: float = 0.0

    def value(self, tried: Tried) -> float:
        """The figure of the goal; infinite for a candidate that was refused."""
        value = None if tried.figures is None else self.goal.of(tried.figures)
        return math.inf if value is None else value


@dataclass(frozen=True, slots=True)
class SearchObserver:
    """Who looks on: `tell` hears of each candidate, `stop` says whether it is enough; `clock` gives seconds."""

    tell: Callable[[SearchState, Tried], None] = lambda found, tried: None
    stop: Callable[[], bool] = lambda: False
    clock: Callable[[], float] = time.monotonic


EXHAUSTED, CANDIDATES, TIME, STOPPED = "nothing is left to try", "candidates", "time", "stopped"


class _Enough(Exception):
    """The search ends here; its text says why."""


class Search:
    """One search; `run` gives what it has found. The options `fixed` stay as they are in `request`."""

    def __init__(
        self,
        request: CompileRequest,
        judge: Judge,
        goal: SearchGoal,
        *,
        limits: SearchLimits,
        seed: int = 0,
        fixed: Collection[str] = (),
        watch: SearchObserver | None = None,
    ) -> None:
        self._request, self._judge, self._limits, self._watch = request, judge, limits, watch or SearchObserver()
        self._began = self._watch.clock()
        self._found = SearchState(goal)
        free = free_choices(request, fixed)
        self._scene = MoveScene(request, Candidates(request), free, Random(seed), self._pause)
        self._seen: set[Key] = set()

    def run(self) -> SearchState:
        """Try candidates until a limit; raises what the default is refused with if nothing else is possible.

        Raises InputError if the judge does not know the goal's figure.
        """
        found = self._found
        refused = self._try({})
        try:
            for settings in self._settings():
                self._pause()
                if found.best is not None and not found.value(found.best):
                    break  # nothing is less than nothing
                if self._limits.candidates is not None and len(found.tried) >= self._limits.candidates:
                    raise _Enough(CANDIDATES)
                self._try(settings)
            found.ended = EXHAUSTED
        except _Enough as enough:
            found.ended = str(enough)
        found.seconds = self._watch.clock() - self._began
        if found.best is None:
            assert refused is not None
            raise refused
        return found

    def _pause(self) -> None:
        """Now and then: end the search if it is enough; the first candidate is judged whatever it takes."""
        if not self._found.tried:
            return
        if self._watch.stop():
            raise _Enough(STOPPED)
        if self._limits.seconds is not None and self._watch.clock() - self._began >= self._limits.seconds:
            raise _Enough(TIME)

    def _try(self, settings: Settings) -> EmuError | None:
        """Compile and judge a candidate; its refusal, if it is refused."""
        self._seen.add(key_of(settings))
        figures, refusal = None, None
        try:
            programs = self._scene.candidates.programs(applied(self._request, settings), self._pause)
            figures = self._judge(programs)
        except EmuError as error:
            refusal = error
        found, seconds = self._found, self._watch.clock() - self._began
        if figures is not None and found.goal.of(figures) is None:
            raise InputError(f"{found.goal.words} is not known: {found.goal.lack}")
        tried = Tried(len(found.tried), settings, figures, str(refusal or ""), seconds)
        found.tried.append(tried)
        if figures is not None and (found.best is None or found.value(tried) < found.value(found.best)):
            found.best = tried
        self._watch.tell(found, tried)
        return refusal

    def _settings(self) -> Iterator[Settings]:
        """What to try next, nothing twice, until nothing is left."""
        yield from self._starts()
        found, closed = self._found, set[int]()
        ways: dict[int, Iterator[Settings]] = {}  # what is near a candidate, by its number
        while known := [tried for tried in found.tried if tried.number not in closed and self._leads(tried)]:
            here = min(known, key=lambda tried: (found.value(tried), tried.number))
            way = ways.setdefault(here.number, near(self._scene, here.settings))
            fresh = next((settings for settings in way if key_of(settings) not in self._seen), None)
            if fresh is None:
                closed.add(here.number)
            else:
                yield fresh

    def _leads(self, tried: Tried) -> bool:
        """Whether to look near it: it was compiled, or is the default."""
        return tried.figures is not None or not tried.number

    def _starts(self) -> Iterator[Settings]:
        """Where the goal's search begins, as far as the choices are free."""
        for start in self._found.goal.starts:
            if all(self._scene.may(name) for name in start):
                settings: Settings = {}
                for name, value in start.items():
                    settings = changed(self._request, settings, name, value)
                if key_of(settings) not in self._seen:
                    yield settings
