"""Every test leaves nothing behind: no process, no run directory, no shared memory."""

import gc
import os
import tempfile

import draws
import leaks
import pytest
from hearing import hear_signals
from hypothesis import settings

pytest_plugins = ["reram_emu_pytest", "pytester"]  # the first one, installed, is loaded already

settings.load_profile(draws.DEFAULT)


def pytest_configure(config):
    """With the heavy tests, others draw more examples, too."""
    if config.option.markexpr == "full or not full":
        settings.load_profile(draws.THOROUGH)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of tests with `few` the other variants are heavy tests; first come those that fork this process often.

    It grows, and a fork of it takes ever longer.
    """
    draws.mark_the_others(items)
    items.sort(key=lambda item: item.get_closest_marker("early") is None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection():
    """What is collected stays: no garbage collection looks at it meanwhile."""
    gc.disable()


def pytest_collection_finish():
    """Nor does one of a test, and these are seldom: most of what tests make is no part of a cycle."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _own_room():
    """Processes that share the tests have run directories apart: what one of them leaves is not found by another."""
    if "TESTS_SHARED" not in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="emu-t-", dir="/tmp") as room, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", room)
        yield


@pytest.fixture(scope="session", autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory):
    """What commands keep from one to the next does not come from tests to the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _no_config():
    """No configuration of the machine says what tests do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMU_CONFIG", "")
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_blas_thread():
    """As in every process that runs cores: tests run some in this one."""
    from emu.core.products.threads import one_blas_thread

    with one_blas_thread():
        yield


@pytest.fixture(scope="session", autouse=True)
def _adopt_orphans(_own_room):
    """Descendants whose parent died become children of this process, where they can be found."""
    leaks.become_subreaper()


@pytest.fixture(scope="session", autouse=True)
def _hear_signals():
    """Neither this process nor what the tests start ignores what `nohup` or a shell's `&` does."""
    hear_signals()


@pytest.fixture(scope="session")
def emu_zygotes(emu_zygotes):
    """That of the plug-in, which no test leaves behind."""
    leaks.LASTING.add(emu_zygotes.pid)
    return emu_zygotes


@pytest.fixture(scope="session")
def emu_processes(_adopt_orphans):
    """Runs `emu` as a process of its own, forked from a warm one."""
    from emu_processes import EmuProcesses

    with EmuProcesses() as processes:
        yield processes


@pytest.fixture(scope="session")
def lasting_cases():
    """Where cases of campaigns run that are not isolated."""
    from lasting_cases import LastingCases

    cases = LastingCases()
    yield cases
    cases.close()


@pytest.fixture(autouse=True)
def _no_leaks(_adopt_orphans):
    before = leaks.LeftoverCheck.now()
    yield
    left = leaks.wait_until_gone(before)
    assert not left, f"the test left behind: {', '.join(left)}"
