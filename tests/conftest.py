"""Every test leaves nothing behind: no process, no run directory, no shared memory."""

import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))

import leaks


@pytest.fixture(scope="session", autouse=True)
def _adopt_orphans():
    """Descendants whose parent died become children of this process, where they can be found."""
    leaks.become_subreaper()


@pytest.fixture(scope="session", autouse=True)
def _hear_signals():
    """What `nohup` or a shell's `&` ignores would be ignored by all that the tests start, and never end it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def _no_leaks(_adopt_orphans):
    before = leaks.Leftovers.now()
    yield
    left = leaks.wait_until_gone(before)
    assert not left, f"the test left behind: {', '.join(left)}"
