"""Every test leaves nothing behind: no process, no run directory, no shared memory."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))

import leaks


@pytest.fixture(scope="session", autouse=True)
def _adopt_orphans():
    """Descendants whose parent died become children of this process, where they can be found."""
    leaks.become_subreaper()


@pytest.fixture(autouse=True)
def _no_leaks(_adopt_orphans):
    before = leaks.Leftovers.now()
    yield
    left = leaks.wait_until_gone(before)
    assert not left, f"the test left behind: {', '.join(left)}"
