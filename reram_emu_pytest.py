"""The plug-in of pytest: fixtures for tests of networks. It imports nothing of ours until a test uses one of them.

It stands beside the packages, as `reram_emu` does: where another package is called `launch`, pytest can still load it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from launch.processes.warm_zygotes import WarmZygotes
    from launch.runs.report import RunReport

OPTION, KEY = "--emu-cache", "emu_cache"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where compiled images are kept: an option and, below it, a key of the configuration file."""
    text = "Directory that keeps the compiled images of emu_validate for later runs of pytest; without it, for this one"
    parser.getgroup("emu", "networks on core processes").addoption(OPTION, metavar="DIR", dest=KEY, help=f"{text}.")
    parser.addini(KEY, f"{text}, relative to the configuration file.")


@pytest.fixture(scope="session")
def emu_zygotes() -> Iterator[WarmZygotes]:
    """A warm process that serves all runs of the session: `zygotes` of `launch.validate` and `launch.power_on`."""
    from launch import warm_zygotes

    with warm_zygotes() as zygotes:
        yield zygotes


@pytest.fixture(scope="session")
def emu_cache(pytestconfig: pytest.Config) -> Iterator[Path]:
    """The directory of compiled images: the one that is named, or a temporary one, gone at the end of the session."""
    named = _named(pytestconfig)
    if named is not None:
        yield named
        return
    from emu.output.scratch import ScratchFolder

    with ScratchFolder("testing") as folder:
        yield folder / "cache"


@pytest.fixture
def emu_validate(
    emu_zygotes: WarmZygotes, emu_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., RunReport]:
    """`launch.testing.assert_valid`, served by the warm process and the cache of images.

    A model that is no file is written to a temporary directory of pytest, so that the command which repeats the run
    finds it.
    """
    from launch.testing import assert_valid

    given = {"zygotes": emu_zygotes, "cache": emu_cache}

    def emu_validate(model: Any, *arguments: Any, **options: Any) -> RunReport:
        __tracebackhide__ = True
        folder = None if isinstance(model, str | Path) else tmp_path_factory.mktemp("emu")
        return assert_valid(model, *arguments, folder=folder, **{**given, **options})

    return emu_validate


def _named(config: pytest.Config) -> Path | None:
    """The directory that the command line names, or else the configuration file."""
    if typed := config.getoption(KEY):
        return config.invocation_params.dir / typed
    named = config.getini(KEY)
    return (config.inipath.parent if config.inipath else config.rootpath) / named if named else None
