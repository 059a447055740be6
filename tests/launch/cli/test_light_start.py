"""What a run imports before it starts: time that every user waits."""

import subprocess
import sys
from pathlib import Path

RUN = """
import sys
from launch.cli import main
try:
    main(["launch", sys.argv[1], "--sequential", "--quiet"])
except SystemExit as done:
    assert not done.code
print(sorted({name.partition(".")[0] for name in sys.modules} & {"xdsl", "onnxruntime", "ortools", "altair"}))
"""


def test_a_run_of_compiled_programs_loads_no_compiler(digits_image: Path) -> None:
    done = subprocess.run([sys.executable, "-c", RUN, str(digits_image)], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr
