"""One optimised compilation: what is searched, told while it is, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emu.noc.ports.port import Flow
from launch.images.compilation import request_of
from launch.optimising.judge import judge_on
from launch.optimising.report import Optimised
from launch.system.garbage import rare_collections
from launch.text.progress import share_bar

Lend = Callable[[Callable[[], None]], AbstractContextManager[None]]  # inside of it, Ctrl-C calls what is given


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What to look for: a row of `GOALS`, for so many seconds or candidates (None: no such limit), judged under `flow`.

    The options `fixed` stay as they are.
    """

    goal: str
    budget: float | None
    candidates: int | None
    seed: int = 0
    flow: str = "rendezvous"
    fixed: frozenset[str] = frozenset()


@rare_collections()
def optimise(model: Path, wish: Wish, tell: Callable[[str], None] | None, lend: Lend, **options: Any) -> Optimised:
    """Search among the options of `request_of`; nothing is written. Raises EmuErrors, as the default would.

    `tell` hears lines about what was found where no bar shows it (None: nobody listens). Ctrl-C ends the search once
    the default is judged.
    """
    from compiler.search.goals import GOALS
    from compiler.search.search import Found, Limits, Search, Tried, Watch

    request, goal = request_of(model, **options), GOALS[wish.goal]
    stopped: list[bool] = []

    def stop() -> None:
        """Ctrl-C: the candidate in hand is the last one; again: at once, without any."""
        if stopped:
            raise KeyboardInterrupt
        stopped.append(True)

    with share_bar(f"optimising {model.name}", tell is None) as progress, ExitStack() as stack:

        def told(found: Found, tried: Tried) -> None:
            if not tried.number:
                stack.enter_context(lend(stop))
            report = Optimised(wish, found)
            if progress is not None:
                progress(report.standing(), report.share())
            elif tell is not None and tried is found.best:
                tell(report.progress(tried))

        watch = Watch(told, lambda: bool(stopped))
        limits = Limits(wish.budget, wish.candidates)
        judge = judge_on(request.arch, Flow.parse(wish.flow))
        search = Search(request, judge, goal, limits=limits, seed=wish.seed, fixed=wish.fixed, watch=watch)
        return Optimised(wish, search.run())
