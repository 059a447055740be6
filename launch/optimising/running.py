"""One optimised compilation: the search, its progress, and its report."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compiler.basis.chips import AUTO_CHIPS
from compiler.request import make_request
from emu.errors import InputError, option
from emu.noc.ports.port import FlowControl
from launch.optimising.judge import judge_on
from launch.optimising.report import Optimised, SearchRequest
from launch.system.memory import rare_collections
from launch.text.progress import share_bar


@dataclass(frozen=True, slots=True)
class Interrupts:
    """Ctrl-C: inside of the context of `lend`, it calls what is given; `keep` stays in one until the command is over.

    A signal that is heard at the end of a search might otherwise be taken for one that ends what follows.
    """

    lend: Callable[[Callable[[], None]], AbstractContextManager[None]]
    keep: Callable[[AbstractContextManager[object]], object]


class _Stop:
    """Ctrl-C makes the candidate in hand the last one; pressed again, it ends the command, and nothing is written."""

    def __init__(self) -> None:
        self._asked = False

    def asked(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self._asked

    def hear(self) -> None:
        """Ctrl-C is pressed."""
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True


@rare_collections()
def optimise(
    model: Path, asked: SearchRequest, tell: Callable[[str], None] | None, interrupts: Interrupts, **options: Any
) -> Optimised:
    """Search among the options of `make_request`; nothing is written. Raises EmuErrors, as the default would.

    `tell` hears lines about what was found where no bar shows it (None: nobody listens). Ctrl-C ends the search once
    the default is judged.
    """
    from compiler.search.goals import GOALS
    from compiler.search.search import Search, SearchLimits, SearchObserver, SearchState, Tried

    if options.get("chips") == AUTO_CHIPS:
        raise InputError(
            f"{option('chips', AUTO_CHIPS)}: {option('optimise')} compares programs on chips that stay as many: say how"
            " many there are"
        )
    request, goal = make_request(model, **options), GOALS[asked.goal]
    stop = _Stop()
    with share_bar(f"optimising {model.name}", tell is None) as progress, ExitStack() as stack:

        def report_tried(found: SearchState, tried: Tried) -> None:
            if not tried.number:
                stack.enter_context(interrupts.lend(stop.hear))
            report = Optimised(asked, found)
            if progress is not None:
                progress(report.standing(), report.share())
            elif tell is not None and tried is found.best:
                tell(report.progress(tried))

        watch = SearchObserver(report_tried, stop.asked)
        limits = SearchLimits(asked.budget, asked.candidates)
        judge = judge_on(request.arch, FlowControl.parse(asked.flow), goal.figure)
        search = Search(request, judge, goal, limits=limits, seed=asked.seed, fixed=asked.fixed, watch=watch)
        found = search.run()
        if stop.asked():
            interrupts.keep(stack.pop_all())
        return Optimised(asked, found)
