"""The command `emu`: one file per command, imported only when the command runs."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, whose import takes longer than all that comes before the signals are caught
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["LazyGroup", "cli", "main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `emu` with `arguments` (default: those of the process) and exit with its code."""
    import _signal  # built in, unlike `signal`
    import sys

    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # until the handler is there: no traceback

    from launch.system.standard_streams import open_standard_streams

    closed = open_standard_streams()
    from launch.cli.schema import asks_for_json
    from launch.cli.signals import arm, end_if_signalled

    words = sys.argv[1:] if arguments is None else list(arguments)
    arm(asks_for_json(words))
    from launch.cli.output import OutputLost, guard_streams

    guard_streams(closed)
    from launch.system.memory import rare_collections

    code = 0
    with rare_collections():
        from launch.cli.group import report_lost_output
        from launch.cli.root import cli

        try:
            cli.main(args=words, prog_name="emu")
        except SystemExit as done:
            code = done.code
        except OutputLost as lost:  # of --help and --version, which are no command
            code = report_lost_output(lost)
    end_if_signalled()
    sys.exit(code)


def __getattr__(name: str) -> Any:
    """`cli` and `LazyGroup`, imported on first use."""
    if name == "cli":
        from launch.cli.root import cli

        return cli
    if name == "LazyGroup":
        from launch.cli.group import LazyGroup

        return LazyGroup
    raise AttributeError(f"module 'launch.cli' has no attribute {name!r}")
