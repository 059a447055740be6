"""The command group `emu`, and the table of its commands."""

from __future__ import annotations

import click

from launch.cli.group import LazyGroup, debug_option
from launch.cli.versions import version_option

COMMANDS = {
    "compile": "launch.cli.compile:command",
    "opt": "launch.cli.opt:command",
    "check": "launch.cli.check:command",
    "time": "launch.cli.time:command",
    "sweep": "launch.cli.sweep:command",
    "launch": "launch.cli.launch:command",
    "debug": "launch.cli.debug:command",
    "device": "launch.cli.device:command",
    "offload": "launch.cli.offload:command",
    "validate": "launch.cli.validate:command",
    "info": "launch.cli.info:command",
    "diff": "launch.cli.diff:command",
    "report": "launch.cli.report:command",
    "arch": "launch.cli.arch:command",
    "doctor": "launch.cli.doctor:command",
    "bench": "launch.cli.bench:command",
    "export": "launch.cli.export:command",
    "disasm": "launch.cli.disasm:command",
    "assemble": "launch.cli.assemble:command",
    "import": "launch.cli.import_:command",
    "mop": "launch.cli.mop:command",
    "seal": "launch.cli.seal:command",
    "conformance": "launch.cli.conformance:command",
    "stress": "launch.cli.stress:command",
    "faults": "launch.cli.faults:command",
    "paper": "launch.cli.paper:command",
    "zoo": "launch.cli.zoo:command",
    "clean": "launch.cli.clean:command",
}

FORMER = {
    "stats": "info",
    "thesis": "paper raptor",
    "schedules": "paper",
}  # names that commands had: the one that does it now

EPILOG = """\b
Exit codes:
  0  right                           4  deadlock
  1  differs from the golden         5  a core or a message is lost
  2  bad usage or input, or          6  timeout
     nothing to verify             130  interrupted (143: by SIGTERM)
  3  a core trapped

\b
Example:
  emu compile lenet.onnx -o out/lenet
  emu launch out/lenet
"""


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    former=FORMER,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
def cli() -> None:
    """Compile ONNX networks for ReRAM crossbar accelerators and run them, one process per core."""


cli.params += [version_option(), debug_option()]
