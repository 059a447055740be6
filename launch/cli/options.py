"""Option types and option sets that several commands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from emu.noc.wire.transports import TRANSPORTS, first_transport
from launch.cli import signals
from launch.cli.choices import ARRANGE, DUPLICATE, ENGINE, LOWERING, PACKING, PLACEMENT, TRANSPORT
from launch.cli.completion import presets
from launch.cli.lines import say
from launch.cli.numbers import Finite, Whole
from launch.cli.schema import SCHEMA
from launch.cli.values import FlowType, GranularityType, ImagePath, NewFile, Shape
from launch.processes.options import TIMEOUT, RunOptions

Command = TypeVar("Command", bound=Callable[..., Any])

IMAGE = ImagePath()
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
LATER_FILE = click.Path(dir_okay=False, path_type=Path)  # another command of a pipe may write it first
NEW_FOLDER = click.Path(file_okay=False, path_type=Path)
OPTION_NAMES = {
    "input_file": "--input",
    "shapes": "--shape",
    "states": "--state",
    "start": "--from",
    "form": "--format",
}  # of parameters that are called otherwise


def as_option(name: str, value: Any = None) -> str:
    """The parameter `name`, with a value if there is one, as it is typed: errors speak so on the command line."""
    text = OPTION_NAMES.get(name, f"--{name.replace('_', '-')}")
    if value is None or value is True:
        return text
    if isinstance(value, Mapping):
        return " ".join(f"{text} {key}={','.join(map(str, sizes))}" for key, sizes in value.items())
    return f"{text} {value}"


NEW_FILE = NewFile()
COUNT, NATURAL = Whole(min=1), Whole(min=0)
POSITIVE = Finite(min=0, min_open=True)
DEFAULTS = RunOptions()


def apply(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """One decorator out of several, the first one on top of --help."""

    def wrap(function: Command) -> Command:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return wrap


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout, nothing else.")


def output_option(kind: click.Path, text: str, **settings: Any) -> Callable[[Command], Command]:
    """-o of every command that writes, with both long spellings."""
    return click.option("-o", "--out", "--output", "output", type=kind, help=text, **settings)


target_options = apply(
    click.option(
        "--arch",
        default="default",
        show_default=True,
        shell_complete=presets,
        help="Architecture: a preset's name or a TOML file.",
    ),
    click.option(
        "--cores",
        type=COUNT,
        metavar="N",
        help="Cores that may be used (default: all of a chip with a table [timing], at most 64 of one without).",
    ),
    click.option(
        "--packing",
        type=PACKING,
        default="dense",
        show_default=True,
        help="Fill crossbars with all kernel positions of a convolution, or give each position its own.",
    ),
    click.option(
        "--placement",
        type=PLACEMENT,
        default="frugal",
        show_default=True,
        help="Use cores where they help, frugal with what they send, depthwise convolutions with their neighbours;"
        " scatter every layer by itself over all cores; or pack onto as few cores as possible.",
    ),
    click.option(
        "--granularity",
        type=GranularityType(),
        metavar="image|rows:N|auto",
        default="image",
        show_default=True,
        help="Pass whole images from core to core, or N rows at a time; auto: whatever fits in local memory.",
    ),
)

mapping_options = apply(
    target_options,
    click.option(
        "--shape",
        "shapes",
        type=Shape(),
        metavar="NAME=SIZES",
        multiple=True,
        help="Fix the shape of an input, such as in0=1,3,224,224 (repeatable).",
    ),
)

schedule_options = apply(
    click.option(
        "--segments",
        is_flag=True,
        help="Let a network be larger than the cores: the weights of each part are written when its turn comes.",
    ),
    click.option(
        "--lowering",
        type=LOWERING,
        default="channel",
        show_default=True,
        help="Of convolutions and other products: all pixels of a channel tile in one operation, or each pixel by"
        " itself, the older scheme, to compare with.",
    ),
    click.option(
        "--duplicate",
        type=DUPLICATE,
        help="Copy the weights of layers to the cores that are left, each copy for a band of rows: for the least"
        " latency of one image, the most images per second, greedily, to compare with, or as many for each layer that"
        " multiplies.",
    ),
    click.option(
        "--pipelined",
        is_flag=True,
        help="Let layers overlap within one image: each passes on some of its rows at a time.",
    ),
    click.option(
        "--stagger",
        is_flag=True,
        help="Multiply each row tile of a product as soon as its slice of the input is there, so that fewer crossbars"
        " work at a time: less peak power.",
    ),
    click.option(
        "--remap-rows",
        is_flag=True,
        help="Where a chip drives fewer rows of a crossbar at a time than there are: spread rows over crossbars that"
        " are free, so that a product takes fewer steps.",
    ),
    click.option(
        "--arrange",
        type=ARRANGE,
        help="Number the cores so that those that send much to each other stand close on the mesh; or as given, a"
        " number for each in use.",
    ),
)
host_fallback_option = click.option(
    "--host-fallback", is_flag=True, help="Leave ONNX nodes that the compiler refuses to processes with onnxruntime."
)
verify_levels_option = click.option(
    "--verify-levels",
    is_flag=True,
    help="Execute the network after every pass, and last its programs, on the same input; name the first pass and"
    " operation that change it.",
)
bind_option = click.option(
    "--bind",
    metavar="ADDRESS",
    default=DEFAULTS.bind,
    help=f"With --transport {first_transport(network=True)}: the IP address to listen at (default: loopback).",
)
verbosity_options = apply(
    click.option("-q", "--quiet", is_flag=True, help="Print the verdict and errors alone."),
    click.option("-v", "--verbose", is_flag=True, help="Tell on stderr what is run, its processes, and times."),
)
deadline_option = click.option(
    "--deadline",
    type=POSITIVE,
    metavar="S",
    help="Seconds for the whole command; what runs then is ended, and counts as a timeout (default: unlimited).",
)
cache_option = click.option(
    "--cache",
    type=NEW_FOLDER,
    envvar="EMU_CACHE",
    show_envvar=True,
    help="Keep compiled images in this directory, and find them there again.",
)
log_dir_option = click.option(
    "--log-dir", type=NEW_FOLDER, help="Write one log file per process into this directory, and all as one in all.log."
)


def timeout_option(default: float) -> Callable[[Command], Command]:
    """--timeout, with its default in seconds."""
    return click.option(
        "--timeout",
        type=Finite(min=0),
        metavar="S",
        default=default,
        help=f"Seconds without any output until the run is given up (default: {default:g}; 0: no limit).",
    )


def flow_option(text: str) -> Callable[[Command], Command]:
    """--flow, with its help."""
    settings: dict[str, Any] = {"metavar": "rendezvous|credits:K", "default": DEFAULTS.flow, "show_default": True}
    return click.option("--flow", type=FlowType(), help=text, **settings)


def engine_option(text: str) -> Callable[[Command], Command]:
    """--engine, with its help."""
    return click.option("--engine", type=ENGINE, default=DEFAULTS.engine, show_default=True, help=text)


running_options = apply(
    click.option("--sequential", is_flag=True, help="Run all cores in turns in this process, without ZeroMQ."),
    timeout_option(TIMEOUT),
    click.option(
        "--transport",
        type=TRANSPORT,
        help=f"ZeroMQ {' or '.join(row.help for row in TRANSPORTS.values())} on this host.",
    ),
    bind_option,
    flow_option("A send returns when the receiver took the data, or K messages per pair may wait."),
    engine_option(
        "batch: loops as array operations; step: one instruction at a time (slow; the reference); fast: batch with one"
        " product over all crossbar rows (rounds differently)."
    ),
    click.option(
        "--tolerance",
        type=Finite(min=0),
        metavar="X",
        help="Largest allowed difference of floats, relative to the largest golden magnitude of the sample "
        "(default 1e-4 for float32, 1e-2 for float16). Integers must always be equal.",
    ),
    click.option("--allow-nan", is_flag=True, help="Let outputs pass of which all golden elements are NaN."),
    log_dir_option,
)


def refuse_idle_options(options: Mapping[str, Any]) -> None:
    """Raise a usage error for an option that another one makes meaningless."""
    pairs = (
        ("sequential", "transport"),
        ("sequential", "bind"),
        ("sequential", "log_dir"),
        ("input_file", "seed"),
        ("input_file", "samples"),
        ("quiet", "verbose"),
    )
    for reason, idle in pairs:
        if options.get(reason) and options.get(idle) is not False and options.get(idle) not in (None, ""):
            first, second = map(as_option, (idle, reason))
            raise click.UsageError(f"{first} has no effect with {second}: leave one of them out")


def tell_on_stderr(text: str) -> None:
    """One line on stderr, at once: above a view that is drawn there, which has put itself in the place of stderr."""
    click.echo(text, file=sys.stderr, err=True)


def tell_failure(sentence: str) -> None:
    """Why a finished run is no success after all, on stderr; nothing for an empty sentence."""
    if sentence:
        say(f"error: {sentence}", err=True)


def print_json(values: Mapping[str, Any]) -> None:
    """One object on stdout, with the version of the form that all commands share."""
    text = json.dumps({"schema": SCHEMA, **values}, allow_nan=False)
    with signals.Answering() as free:
        if free:
            click.echo(text)
