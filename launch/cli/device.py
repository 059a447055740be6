"""`emu device`: a device that host programs call, through the C library of compiled hosts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from launch.cli.answering import answers, json_wanted, unfinished
from launch.cli.option_fields import options_of
from launch.cli.options import arch_option, output_option, print_to_stderr
from launch.cli.signals import Terminated
from launch.cli.values import NEW_FOLDER
from launch.devices.options import DeviceOptions
from launch.text.answer import Answer, Part, Table

if TYPE_CHECKING:
    from launch.devices.hosting import Hosted

PATH = click.Path(path_type=Path)


@click.command(
    short_help="Serve crossbars to a host program.",
    context_settings={"allow_interspersed_args": False},  # what follows the host program is its own
    epilog="""\b
Examples:
  emu device --build out/host
  emu device --arch puma --cores 4 -- ./tiled 64 96 80
  emu device -o out/session -- ./tiled
  emu device --serve /tmp/chip --once""",
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[--] [COMMAND [ARGS]...]")
@click.option("--serve", type=PATH, metavar="SOCKET", help="Listen at this unix-domain socket, for one host at a time.")
@click.option("--once", is_flag=True, help="With --serve: end when the first host is gone.")
@click.option("--build", type=NEW_FOLDER, metavar="DIR", help="Compile the C library into this directory ($CC, or cc).")
@arch_option
@options_of(DeviceOptions)
@output_option(NEW_FOLDER, "Record all calls, and write them as an image of programs into this directory.")
@answers()
def command(
    command: tuple[str, ...],
    serve: Path | None,
    once: bool,
    build: Path | None,
    arch: str,
    output: Path | None,
    **options: Any,
) -> Answer:
    """Power on a chip without a network, and let the host program COMMAND write its crossbars and multiply by them.

    The program finds the device by its environment variable EMU_DEVICE. The library of --build, which it is linked
    with, has the calls that the compilers Cinnamon (`memristor_*`) and NeuroBoard (`neuro_*`) emit; all of them are in
    docs/device-hosts.md. At the end the counters of writes, products and bytes are printed.

    Exit code: that of COMMAND; 2: bad usage or input; 3: a board failed; 5: a core died; 6: a call took too long.
    """
    chosen = [name for name, given in (("--serve", serve), ("--build", build), ("COMMAND", command)) if given]
    if len(chosen) != 1:
        raise click.UsageError("give one of --serve SOCKET, --build DIR and a host program: emu device -- COMMAND")
    if once and serve is None:
        raise click.UsageError("--once is about --serve: give that, too")
    if build is not None:
        return _build(build, output)
    return _host(command, serve, once, arch, output, DeviceOptions(**options))


def _build(folder: Path, output: Path | None) -> Answer:
    from launch.devices.host.library import build_library

    if output is not None:
        raise click.UsageError("-o has no effect with --build: leave one of them out")
    files = build_library(folder)
    line = (
        f"written: {files[0]} and {files[1].name}; link hosts by -I{folder} -L{folder} -lemu_device -Wl,-rpath,{folder}"
    )
    return Answer({"files": [str(file) for file in files]}, [line])


def _host(
    command: tuple[str, ...], serve: Path | None, once: bool, arch: str, output: Path | None, options: DeviceOptions
) -> Answer:
    from launch.devices.hosting import Hosted, Hosting

    hosted, hosting = Hosted(), Hosting(arch, options, output, print_to_stderr, quiet=json_wanted())
    try:
        if serve is None:
            hosting.run(command, hosted)
        else:
            hosting.serve(serve, once, hosted)
    except (Terminated, KeyboardInterrupt) as end:
        if hosted.counters:
            unfinished(end, _answer(hosted, command, options))
        raise
    return _answer(hosted, command, options)


def _answer(hosted: Hosted, command: tuple[str, ...], options: DeviceOptions) -> Answer:
    values = {
        "arch": hosted.arch,
        "cores": options.cores,
        "backend": options.backend,
        "host": list(command) or None,
        "host_exit_code": hosted.host_exit_code,
        "hosts": hosted.hosts,
        "counters": hosted.counters,
        "out": None if hosted.out is None else str(hosted.out),
        "simulation": hosted.simulation and hosted.simulation.to_dict(),
        "exit_code": hosted.exit_code,
    }
    return Answer(values, _parts(hosted), hosted.asides, hosted.failure, hosted.exit_code)


def _parts(hosted: Hosted) -> Iterator[Part]:
    counts = [(name, value) for name, value in hosted.counters.items() if isinstance(value, int | float)]
    yield Table(
        "device", ("counter", "value"), [(name.replace("_", " "), f"{value:,}") for name, value in counts], "lr"
    )
    if hosted.out is not None:
        yield f"written: {hosted.out}"
    if hosted.simulation is not None:
        yield from hosted.simulation.lines()
