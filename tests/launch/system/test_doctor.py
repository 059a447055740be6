"""What `emu doctor` tries out leaves nothing, whenever it ends."""

import os
import subprocess
import sys
from pathlib import Path

ENDS_BEHIND_IT = """
import os, signal, sys
from launch.system import doctor
make = doctor.make_run_directory

def made(directory):
    make(directory)
    print(directory.exists())
    sys.exit(3)  # as by a signal between this and its removal

doctor.make_run_directory = made
doctor.examine(1)
"""


def test_an_end_behind_the_directory_that_is_tried_out_leaves_nothing(tmp_path: Path) -> None:
    variables = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", ENDS_BEHIND_IT], env=variables, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (3, "True\n"), done.stderr
    assert not list(tmp_path.iterdir())
