"""The process of a case: calls the function of the case, and writes its answer to a memory file.

It is forked from a warm process, or a fresh interpreter: `python -m launch.campaigns.child PARENT GIVEN ANSWER`.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from emu.errors import EmuError
from launch.processes.fork_requests import ForkRequest
from launch.processes.reaping import die_with
from launch.processes.zygote_process import lend
from launch.system.by_name import named
from launch.workers.channel import packed, unpacked

INTERNAL = 70
HOUSES = frozenset(("emu", "compiler", "launch"))


def serve_case(request: ForkRequest) -> int:
    """Run a case as the `work` of a `ForkRequest`; the exit status."""
    gc.enable()
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    given, answer, zygotes = request.inherited
    return _run(given, answer, zygotes)


def emu(arguments: Sequence[str]) -> None:
    """Run `emu`, which answers on its standard output and ends by SystemExit."""
    named("launch.cli:main")(arguments)


def answer_of(arguments: Sequence[str]) -> dict[str, Any]:
    """The --json object of `emu` with these arguments, run in this process, and its exit code."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        code = named("launch.cli.root:cli").main([*arguments, "--json"], prog_name="emu", standalone_mode=False)
    try:
        found = json.loads(text.getvalue())
    except ValueError:
        found = {"error": f"ended without an answer (exit code {code})"}
    return {name: value for name, value in found.items() if name != "schema"} | {"exit_code": int(code or 0)}


def answered(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values that the function of a case returns, or the error that it raises, as values of --json."""
    try:
        return dict(function(**given) or {})
    except EmuError as error:
        return {"error": str(error), "exit_code": error.exit_code, **error.details}


def read_memory(descriptor: int) -> bytearray:
    """The content of a memory file."""
    content = bytearray(os.fstat(descriptor).st_size)
    os.preadv(descriptor, [content], 0)
    return content


def write_memory(descriptor: int, message: Any) -> None:
    """Write a message to an empty memory file."""
    for part in packed(message):
        while part:
            part = part[os.write(descriptor, part) :]


def _run(given: int, answer: int, zygotes: int = -1) -> int:
    case = unpacked(memoryview(read_memory(given)))
    os.environ.clear()
    os.environ.update(case["environment"])
    if zygotes >= 0:
        from launch.processes.warm_zygotes import LentZygotes

        lend(LentZygotes(zygotes, case["zygotes"]))
    known, found, status = set(sys.modules), None, INTERNAL
    signal.signal(signal.SIGTERM, _end)  # a command of `emu` has a handler of its own
    try:
        found = answered(named(case["function"]), case["given"])
        status = int(found.get("exit_code", 0))
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    loaded = sorted(filter(_is_ours, sys.modules.keys() - known))
    write_memory(answer, {"values": found, "modules": loaded})
    return status


def _end(number: int, frame: object) -> None:
    """End the process on a signal; temporary files are removed on the way out."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def _is_ours(module: str) -> bool:
    """Whether a module is of this project, so that importing it ahead has no side effects."""
    return module.partition(".")[0] in HOUSES


def _main(parent: int, given: int, answer: int) -> int:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    if not die_with(parent, signal.SIGTERM):
        return INTERNAL  # the campaign no longer waits for this case
    for descriptor in (given, answer):
        os.set_inheritable(descriptor, False)
    return _run(given, answer)


if __name__ == "__main__":
    sys.exit(_main(*map(int, sys.argv[1:])))
