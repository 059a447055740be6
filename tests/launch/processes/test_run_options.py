"""Run options: the same names everywhere, taken from where they are, and in the signatures of what takes them."""

import inspect
import os
from dataclasses import fields

import click
import pytest

from emu.chaos.spec import Chaos
from emu.errors import InputError
from launch import power_on, validate
from launch.cli import cli
from launch.processes.options import NAMES, RunOptions
from launch.processes.orders import Orders, ProcessOptions, read_orders


def test_what_is_none_is_the_default_and_other_values_stay():
    values = {"flow": None, "engine": "step", "tolerance": 1.0}
    assert RunOptions.take(values) == RunOptions(engine="step")
    assert values == {"tolerance": 1.0}


def test_chaos_needs_processes():
    with pytest.raises(InputError, match="chaos disturbs processes"):
        RunOptions(sequential=True, chaos=Chaos(("nice",)))


def test_signatures_name_the_options():
    assert set(NAMES) - {"sequential"} <= set(inspect.signature(power_on).parameters)
    assert set(NAMES) - {"chaos"} <= set(inspect.signature(validate).parameters)
    assert all(
        p.default == getattr(RunOptions(), n) for n, p in inspect.signature(power_on).parameters.items() if n in NAMES
    )
    with pytest.raises(TypeError, match="speed"), power_on("nowhere", speed=2):
        pass


def test_every_option_is_one_of_the_command_line():
    command = cli.get_command(click.Context(cli), "launch")
    typed = {parameter.name for parameter in command.params}
    assert set(NAMES) - typed == {"chaos"} and "specs" in typed  # --chaos, which is a list of specifications


@pytest.mark.parametrize(("typed", "seconds"), [(None, 600.0), (0, None), (0.0, None), (2.5, 2.5)])
def test_the_time_limit_of_the_command_line(typed, seconds):
    assert RunOptions.take({"timeout": typed}).timeout == seconds
    assert RunOptions().timeout == 600.0 and RunOptions(timeout=None).timeout is None


def test_processes_are_not_sequential():
    with pytest.raises(InputError, match="use power_on_sequential"), power_on("nowhere", RunOptions(sequential=True)):
        pass


def test_orders_carry_the_options():
    options = ProcessOptions.of(RunOptions(flow="credits:3", engine="step", log_dir="/logs", seed=7, timeout=1.5))
    told = {"keep": {1: [2]}, "observers": [("a:B", [1, ["x"]], 5)], "outputs": [(0, 4)], "keys": (), "token": b"t"}
    numbers = {"started": 0.5, "parent": 1, "global_size": 2, "largest": 3}
    orders = Orders(image="i", programs=[0], idle=[], options=options, **told, **numbers)
    reader, writer = os.pipe()
    os.write(writer, orders.encode())
    os.close(writer)
    read = read_orders(reader)
    os.close(reader)
    assert read.options == options
    assert [field.name for field in fields(read) if getattr(read, field.name) != getattr(orders, field.name)] == [
        "keys",
        "observers",
        "outputs",  # tuples are lists now
    ]
    assert [tuple(each) for each in read.observers] == orders.observers
