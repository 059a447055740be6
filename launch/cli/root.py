"""The command group `emu`, and the table of its commands."""

from __future__ import annotations

import click

from launch.cli.group import LazyGroup, config_option, debug_option
from launch.cli.versions import version_option

SECTIONS = {
    "Build": {
        "compile": "launch.cli.compile:command",
        "opt": "launch.cli.opt:command",
        "arch": "launch.cli.arch:command",
    },
    "Run": {
        "launch": "launch.cli.launch:command",
        "validate": "launch.cli.validate:command",
        "debug": "launch.cli.debug:command",
        "device": "launch.cli.device:command",
        "offload": "launch.cli.offload:command",
        "agent": "launch.cli.agent:command",
    },
    "Look": {
        "info": "launch.cli.info:command",
        "check": "launch.cli.check:command",
        "time": "launch.cli.time:command",
        "sweep": "launch.cli.sweep:command",
        "calibrate": "launch.cli.calibrate:command",
        "diff": "launch.cli.diff:command",
        "report": "launch.cli.report:command",
    },
    "Exchange": {
        "import": "launch.cli.import_:command",
        "export": "launch.cli.export:command",
    },
    "Test": {
        "stress": "launch.cli.stress:command",
        "conformance": "launch.cli.conformance:command",
        "bench": "launch.cli.bench:command",
        "doctor": "launch.cli.doctor:command",
    },
    "Papers": {
        "paper": "launch.cli.paper:command",
    },
}
COMMANDS = {name: path for section in SECTIONS.values() for name, path in section.items()}

# Words that commands began with: those of today, behind which the rest of the line stays as it is.
FORMER = {
    "stats": "info",
    "assemble": "import",
    "seal": "import --seal",
    "disasm": "export --to asm",
    "zoo": "export",
    "mop check": "check",
    "mop run": "launch",
    "mop": "check",
    "faults": "stress --faults",
    "clean": "doctor --clean",
    "thesis": "paper raptor",
    "schedules": "paper",
}

# Options that commands had, and those of today.
FORMER_OPTIONS = {
    "launch": {"--runs": "--chaos-runs", "--inputs": "--input"},
    "validate": {"--runs": "--chaos-runs"},
    "stress": {"--runs": "--chaos-runs, and with --faults --repeat"},
    "bench": {"--runs": "--repeat"},
    "sweep": dict.fromkeys(("-o", "--out", "--output"), "--csv"),
    "paper": dict.fromkeys(("-o", "--out", "--output"), "--csv"),
    "import": {"--arch": "--chip"},
}

EPILOG = """\b
Exit codes:
  0  right                           4  deadlock
  1  differs from the golden         5  a core or a message is lost
  2  bad usage or input, or          6  timeout
     nothing to verify             130  interrupted (143: by SIGTERM)
  3  a core trapped

\b
Defaults of a project stand in [tool.emu] of pyproject.toml, or in emu.toml.

\b
Example:
  emu compile lenet.onnx -o out/lenet
  emu launch out/lenet
"""


@click.group(
    cls=LazyGroup,
    sections=SECTIONS,
    former=FORMER,
    former_options=FORMER_OPTIONS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
def cli() -> None:
    """Compile ONNX networks for ReRAM crossbar accelerators and run them, one process per core."""


cli.params += [version_option(), config_option(), debug_option()]
