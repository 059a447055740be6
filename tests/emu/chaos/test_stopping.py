"""A process that stops itself goes on by itself, however short the stop is."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

CODE = """
import time
from emu.chaos.stopping import stop_for
for seconds in (*[1e-9] * 20, *[1e-5] * 20, 0.05):  # the first ones are over before they begin
    began = time.monotonic()
    stop_for(seconds)
    assert time.monotonic() - began >= seconds
print("on")
"""


def test_it_stops_and_goes_on():
    with subprocess.Popen(
        [sys.executable, "-c", CODE], cwd=Path(__file__).parents[3], stdout=subprocess.PIPE
    ) as process:
        states = set()
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            pid, status = os.waitpid(process.pid, os.WUNTRACED | os.WNOHANG)
            if pid and os.WIFSTOPPED(status):
                states.add(os.WSTOPSIG(status))
            elif pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                break
            time.sleep(0.002)
        else:
            process.kill()
        assert process.stdout.read() == b"on\n"
    assert process.returncode == 0 and states == {signal.SIGSTOP}
