"""Repeats the run of a JSON report and compares what comes out: python docs/repeat.py report.json [command...]."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Exit code 0: equal digests; 1: they differ; 2: the report cannot be repeated; else that of the command."""
    path, emu = Path(sys.argv[1]), sys.argv[2:] or ["emu"]
    before = json.loads(path.read_text())["run"]
    command = [word for word in before["command"] if word != "--json"]
    if command[:1] != ["validate"]:
        print(f"{path}: only runs of `emu validate` are repeated", file=sys.stderr)
        return 2
    print("emu", shlex.join(command), file=sys.stderr)
    done = subprocess.run([*emu, *command, "--json"], stdout=subprocess.PIPE, text=True, env=os.environ)
    report = json.loads(done.stdout)
    if "run" not in report:
        return done.returncode
    for name in ("model", "inputs"):
        if before[name]["sha256"] != report["run"][name]["sha256"]:
            print(f"{name}: another file, sha256 {report['run'][name]['sha256']}")
    different = [name for name, sha256 in before["outputs"].items() if report["run"]["outputs"].get(name) != sha256]
    if different:
        print(f"different: {', '.join(different)}")
        return 1
    print(f"equal: {len(before['outputs'])} output(s), sha256 {', '.join(before['outputs'].values())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
