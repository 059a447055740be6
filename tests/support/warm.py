"""What commands in the process of the tests start without a new interpreter each time; tests of those start new ones.

Cores are forked from the warm process of the session, cases of campaigns from another one, and golden values are
computed in this process, which has imported the evaluators already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import leaks
import pytest

from launch.campaigns import starting
from launch.campaigns.starting import Place, Warm
from launch.golden.golden_process import GoldenError
from launch.golden.golden_worker import compute
from launch.processes.warm_zygotes import WarmZygotes
from launch.processes.zygote_process import lend, take_back
from launch.workers.failures import Refusal


class LastingCases(Warm):
    """The processes of one campaign serve the next one, too, until they are closed."""

    def __exit__(self, *_: object) -> None:
        pass

    def begin(self) -> None:
        before = set(leaks.descendants())
        super().begin()
        leaks.LASTING.update(set(leaks.descendants()) - before)

    def close(self) -> None:
        super().__exit__(None, None, None)


def evaluate_here(
    folder: Path, _model: Path, _source: str, request: Mapping[str, Any], _notice: object = None
) -> dict[str, Any]:
    """In place of `launch.golden.values.evaluate`, which starts a process."""
    try:
        return compute(str(folder), **request)
    except Refusal as error:
        raise GoldenError(str(error)) from None


@contextmanager
def served(patch: pytest.MonkeyPatch, zygotes: WarmZygotes, cases: LastingCases) -> Iterator[None]:
    """Within, commands of this process are served so."""
    usual = starting.place_for

    def place_for(needed: Sequence[str] | None, isolated: bool) -> Place:
        return usual(needed, isolated) if needed is None or isolated else cases

    patch.setattr(starting, "place_for", place_for)
    patch.setattr("launch.golden.values.evaluate", evaluate_here)
    lend(zygotes)
    try:
        yield
    finally:
        take_back()
