"""`emu launch`: run a compiled network, one process per core, and compare; or a meta-operator flow, in this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from emu.options import specs
from launch.analog.options import AnalogOptions
from launch.cli.answering import answers, json_wanted
from launch.cli.chaos_options import chaos_options, take_chaos
from launch.cli.choices import GoldenType
from launch.cli.completion import nodes
from launch.cli.config import arguments
from launch.cli.flows import flow_options, is_flow, launched, refuse_options_of_flows
from launch.cli.input_option import initial_option, input_option
from launch.cli.option_fields import options_of
from launch.cli.options import (
    NATURAL,
    print_to_stderr,
    reject_unsupported_options,
    running_options,
    verbosity_options,
)
from launch.cli.text_lines import PROGRAMS_OR_FLOW
from launch.cli.trace_options import take_trace, trace_options
from launch.cli.values import FILE, NEW_FILE
from launch.processes.options import RunOptions
from launch.processes.zygote_process import started_ahead
from launch.runs.comparing import CompareOptions
from launch.text.answer import Answer


@click.command(
    short_help="Run a compiled network, one process per core; compare.",
    epilog="""\b
Examples:
  emu launch out/lenet
  emu launch out/digits --cores 64 --input digits_test.npz --labels labels --model digits_cnn.onnx
  emu launch out/lenet --model lenet.onnx --keep all
  emu launch out/lenet --model lenet.onnx --bisect
  emu launch out/cell --stateful --input steps.npz --model cell.onnx
  emu launch out/lenet --chaos delay:0.1,5 --chaos reorder-start --chaos-runs 100
  emu launch out/lenet --chaos kill:random@0-500 --save out.npz
  emu launch out/lenet --trace run.pftrace
  emu launch out/lenet --trace run.json.gz --beside puma
  emu launch out/digits --analog chip.toml --trials 100 --input digits_test.npz --labels labels --golden none
  emu launch out/flow/flow.mop --save made.npz
  emu launch by-hand.mop --weights w.npz --input in.npz --golden want.npz --arch chip.toml""",
)
@click.argument("out", type=PROGRAMS_OR_FLOW)
@options_of(RunOptions, "cores")
@input_option
@click.option(
    "--stateful",
    is_flag=True,
    help="Keep the states of the network on the chip: samples are steps, and each reads what the one before has made.",
)
@initial_option
@options_of(CompareOptions, "labels", "min_accuracy")
@click.option("--seed", type=NATURAL, metavar="N", help="Random inputs of this seed instead of the stored ones.")
@options_of(CompareOptions, "repeat")
@options_of(AnalogOptions)
@click.option("--model", type=FILE, help="The ONNX file that was compiled: computes golden values for other inputs.")
@click.option(
    "--golden",
    type=GoldenType(),
    help="What to compare with: stored values (default; programs without a model: none), an evaluator of --model"
    " (numpy is another name of reference), a file, or none.",
)
@options_of(
    CompareOptions,
    "keep",
    texts="Capture the output of this ONNX node (or tensor) and, with --model, compare it (repeatable).",
    keep={"shell_complete": nodes},
)
@options_of(CompareOptions, "keep_informs", "bisect")
@click.option("--save", type=NEW_FILE, help="Write outputs and kept tensors to this .npz file.")
@click.option("--print", "print_outputs", is_flag=True, help="Print the outputs, too (--json: as lists, if small).")
@click.option("--no-check", is_flag=True, help="Run even what `emu check` refutes.")
@click.option(
    "--resume", is_flag=True, help="Continue an interrupted run with the samples that the file of --save lacks."
)
@running_options
@options_of(CompareOptions, "tolerance", "allow_nan")
@chaos_options
@trace_options
@flow_options
@verbosity_options
@answers()
@click.pass_context
def command(ctx: click.Context, print_outputs: bool, **options: Any) -> Answer:
    """Run the compiled network in the directory OUT, or assembly text, and compare its outputs with the golden ones.

    A meta-operator flow (.mop) runs in this process; inputs, weights and golden values that are not given stand beside
    it, and of the other options --save and --tolerance are for flows, too.

    With --analog the verdict is of statistics: outputs need not equal the golden ones, and the exit code is 0 unless
    the share of right labels may be less than --min-accuracy or outputs differ by more than --tolerance.

    Exit code 0: right, or not compared, by --golden none or because the programs have no model; 1: differs; 2: bad
    usage or input, nothing to compare with, no fault of --chaos was triggered, or nothing of the chip is verified,
    because the host computed all products; 3: a core trapped; 4: deadlock; 5: a core or a message is lost; 6: timeout.
    """
    if is_flow(options["out"]):
        return launched(options["out"], options)
    refuse_options_of_flows()
    del options["arch"], options["weights"]
    reject_unsupported_options(options)
    if options["initial"] and not options["stateful"]:
        raise click.UsageError("--initial is about states: keep them by --stateful, too")
    if options["stateful"] and options["resume"]:
        raise click.UsageError("--resume begins in the middle, where --stateful has no states: leave one of them out")
    quiet, details = options.pop("quiet"), details_printer(options.pop("verbose"))
    options["chaos"], runs = take_chaos(options)
    options["trace"] = take_trace(options)
    seed = options.pop("seed")  # of the inputs, until it is known whether they have one
    analog = {name: options.pop(name) for name in specs(AnalogOptions)}
    run_options = RunOptions.take(options)
    with started_ahead(not run_options.sequential) as zygotes:
        from launch.runs.answer import run_answer
        from launch.runs.job import run_job
        from launch.runs.request import Job
        from launch.samples.input_values import split_inputs

        file, values = split_inputs(options.pop("input_file"))
        job = Job(
            input=file,
            values=values,
            seed=seed,
            golden=options.pop("golden") or "",
            check=not options.pop("no_check"),
            chaos_runs=runs,
            options=run_options,
            quiet=json_wanted() or quiet,
            recorded=json_wanted(),
            command=arguments_of(ctx),
            notice=None if quiet else print_to_stderr,
            details=details,
            **{name: value for name, value in analog.items() if value is not None},
            **options,
        )
        report = run_job(job, zygotes)
    return run_answer(report, print_outputs, quiet)


def details_printer(verbose: bool) -> Callable[[str], None] | None:
    """The function that prints the details of a run, or None; versions are printed at once."""
    if not verbose:
        return None
    from launch.cli.versions import version_lines

    for line in version_lines():
        print_to_stderr(line)
    return print_to_stderr


def arguments_of(ctx: click.Context) -> tuple[str, ...]:
    """The arguments of `emu`, those of a configuration among them."""
    return tuple(arguments(ctx))
