"""`emu validate`: compile, run and compare in one go."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import click

from compiler.basis.options import CompileOptions
from launch.cli.answering import answers, json_wanted
from launch.cli.chaos_options import chaos_options, take_chaos
from launch.cli.evaluators import refuse_evaluator
from launch.cli.input_option import input_option
from launch.cli.launch import arguments_of, details_printer
from launch.cli.option_fields import options_of
from launch.cli.options import (
    arch_option,
    deadline_option,
    print_to_stderr,
    reject_unsupported_options,
    running_options,
    verbosity_options,
)
from launch.cli.signals import deadline_of
from launch.cli.suite_options import is_suite, run_suite, suite_options
from launch.cli.values import FILE
from launch.runs.comparing import CompareOptions
from launch.runs.validate_options import ValidateOptions
from launch.text.answer import Answer, warnings


@click.command(
    short_help="Compile, run and compare networks in one go.",
    epilog="""\b
Examples:
  emu validate lenet.onnx --cores 16 --samples 4
  emu validate digits.onnx --input digits.npz --labels labels --min-accuracy 0.99
  emu validate lenet.onnx --cores 16 --bisect
  emu validate lenet.onnx --cores 16 --verify-levels
  emu validate lenet.onnx --json > before.json
  emu validate lenet.onnx --baseline before.json --max-bytes 1x --max-cores 64 --keep-artifacts failed
  emu validate lenet.onnx digits.onnx --cores 16 --jobs 2 --junit results.xml
  emu validate --suite suite.toml --deadline 300""",
)
@click.argument("models", metavar="MODEL...", nargs=-1, type=FILE)
@arch_option
@options_of(CompileOptions)
@input_option
@options_of(CompareOptions, without=("chaos_runs",))
@options_of(ValidateOptions, own=True, cache={"envvar": "EMU_CACHE", "show_envvar": True})
@running_options
@chaos_options
@deadline_option
@suite_options
@verbosity_options
@answers()
@click.pass_context
def command(ctx: click.Context, models: tuple[Path, ...], **options: Any) -> Answer:
    """Compile the network MODEL, run it on seeded inputs or --input, and compare its outputs with the golden ones.

    Nothing is kept, unless --keep-artifacts or --cache says so, but names for --last-failed. Exit codes are those of
    `emu launch`; 1 also stands for an accuracy that is too small and a budget that is exceeded. Of several networks, or
    the cases of --suite, each runs as a command of its own, all run whatever comes of the others, and the exit code is
    the highest of any. Options on the command line hold for all cases and win over those of the suite file.
    """
    if is_suite(ctx):
        return run_suite(ctx)
    with deadline_of(options.pop("deadline")):
        return _validate(ctx, models[0], options)


def _validate(ctx: click.Context, model: Path, options: dict[str, Any]) -> Answer:
    """Run one network."""
    check_options({**options, "models": (model,)})
    refuse_evaluator(ctx, model)
    quiet, details = options.pop("quiet"), details_printer(options.pop("verbose"))
    options["chaos"], options["chaos_runs"] = take_chaos(options)
    from launch.processes.options import RunOptions
    from launch.runs.answer import run_answer
    from launch.runs.validation import OWN, Validation, compile_and_run
    from launch.samples.input_values import split_inputs

    file, values = split_inputs(options.pop("input_file"))
    own = {name: options.pop(name) for name in OWN if name in options}
    given = {name: value for name, value in own.items() if value is not None}
    validation = Validation(**given | {"input": file or values or None})
    validation.check()
    job = replace(
        validation.job(model, RunOptions.take(options)),
        quiet=json_wanted() or quiet,
        recorded=json_wanted(),
        command=arguments_of(ctx),
        notice=None if quiet else print_to_stderr,
        details=details,
    )
    compiled, report = compile_and_run(model, validation, job)
    head = [] if quiet else [*compiled.host_lines(), replace(compiled, out=None).line()]
    answer = run_answer(report, quiet=quiet)
    asides = [*warnings(compiled.warnings), *([report.left] if report.left else [])]
    return replace(answer, parts=chain(head, answer.parts), asides=asides)


def check_options(options: dict[str, Any]) -> None:
    """Raise UsageError for options of one run, by parameter, that mean nothing together."""
    reject_unsupported_options(options)
    take_chaos(dict(options))
    from launch.runs.budget import OPTIONS, make_budget

    name = options["name"] or options["models"][0].stem
    make_budget({name: options[name] for name in OPTIONS}, options["baseline"], name)
