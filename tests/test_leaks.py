"""The fixture that looks for leaks finds them."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import leaks
import pytest

ORPHAN = """
import subprocess
print(subprocess.Popen(["sleep", "60"], start_new_session=True, stdout=subprocess.DEVNULL, stderr=-3).pid)
"""


@pytest.mark.parametrize("listed", [True, False])
def test_orphans_run_directories_and_shared_memory_are_found(listed, monkeypatch):
    monkeypatch.setattr(leaks, "HAS_CHILDREN", listed)
    before = leaks.LeftoverCheck.now()
    orphan = int(subprocess.run([sys.executable, "-c", ORPHAN], capture_output=True, check=True, timeout=20).stdout)
    directory = Path(tempfile.mkdtemp(prefix=f"{leaks.PREFIX}{os.getpid()}-", dir="/tmp"))
    memory = Path(f"/dev/shm/emu-test-{os.getpid()}")
    memory.touch()
    try:
        left = " ".join(leaks.LeftoverCheck.now().since(before))
        assert f"process {orphan} (sleep 60)" in left and str(directory) in left and str(memory) in left
    finally:
        os.kill(orphan, 9)
        directory.rmdir()
        memory.unlink()
    assert not leaks.wait_until_gone(before)
