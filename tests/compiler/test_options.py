"""An option of a compilation is one field: all that lists options takes it from there."""

import inspect
from dataclasses import dataclass, replace
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

import compiler
from compiler.basis.options import NAMES, CompileOptions, checked_for
from compiler.request import make_request
from compiler.settings import settings_of
from emu.arch import Arch
from emu.errors import InputError
from emu.image.manifest import StateSpec
from emu.options import Flag, Whole, default_of, found, listed, opt, specs, takes
from launch.cli.option_fields import TYPES, options_of
from launch.images.cache_key import cache_key
from launch.processes.options import RunOptions
from launch.runs.comparing import CompareOptions
from launch.runs.repeating import arguments
from launch.runs.validate_options import ValidateOptions

DIGITS = Path(__file__).parents[2] / "examples" / "digits_cnn.onnx"
CLASSES = (CompileOptions, CompareOptions, ValidateOptions, RunOptions)
names = st.text("abc=, /é'", min_size=1, max_size=6)
numbers = st.lists(st.integers(0, 99), min_size=1, max_size=5).map(lambda found: ",".join(map(str, found)))
VALUES = {
    "cores": st.none() | st.integers(1, 64),
    "chips": st.sampled_from([None, "auto"]) | st.integers(1, 64).map(str),
    "packing": st.sampled_from(["dense", "kernel"]),
    "placement": st.sampled_from(["frugal", "scatter", "pack"]),
    "granularity": st.sampled_from(["image", "auto"]) | st.integers(1, 999).map("rows:{}".format),
    "shapes": st.dictionaries(names, st.lists(st.integers(1, 99), max_size=4).map(tuple), max_size=3),
    "products": st.sampled_from(["constant", "all"]),
    "lowering": st.sampled_from(["channel", "pixel"]),
    "duplicate": st.none() | st.sampled_from(["latency", "throughput", "greedy"]) | numbers,
    "arrange": st.sampled_from([None, "traffic", "cut"]) | numbers,
    "states": st.dictionaries(names, names, max_size=3),
    "max_length": st.none() | st.integers(1, 999),
}
options = st.builds(
    CompileOptions,
    **{name: VALUES[name] if name in VALUES else st.booleans() for name in NAMES},
)


@given(options)
def test_what_a_manifest_lists_makes_the_same_options_again(drawn):
    """But who does what cores cannot, which segments tell."""
    asked = checked_for(Arch(), drawn)
    assert CompileOptions(**found(CompileOptions, listed(asked))) == replace(asked, host_fallback=False)


@given(options)
def test_the_settings_of_a_request_tell_its_options(drawn):
    asked = checked_for(Arch(), drawn)
    request = make_request(None, Arch(), **{name: getattr(asked, name) for name in NAMES})
    states = [StateSpec(*pair) for pair in asked.states.items()]
    assert CompileOptions(**found(CompileOptions, settings_of(request, states))) == replace(asked, host_fallback=False)


@given(options)
def test_what_repeats_a_compilation_is_parsed_to_the_same_options(drawn):
    taken = {}

    @click.command()
    @options_of(CompileOptions)
    def command(**values):
        taken.update(values)

    # A name with `=` or `,` may be split elsewhere, as on any command line.
    plain = {name: {k: v for k, v in getattr(drawn, name).items() if k.isalpha()} for name in ("shapes", "states")}
    plain["shapes"] = {name: sizes for name, sizes in plain["shapes"].items() if sizes}
    plain["states"] = {name: output for name, output in plain["states"].items() if output.isalpha()}
    asked = replace(drawn, **plain)
    words = arguments({name: getattr(asked, name) for name in NAMES})
    command.main(words, standalone_mode=False)
    assert checked_for(Arch(), CompileOptions(**taken)) == checked_for(Arch(), asked)


@pytest.mark.parametrize("owner", CLASSES)
def test_every_default_is_a_value(owner):
    for name, spec in specs(owner).items():
        value = default_of(owner, name)
        assert type(spec.kind) in TYPES and spec.help
        assert value is None or spec.kind.checked(name, value) == value


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"cores": 0}, "^cores 0 is no number of cores: give an int of 1 or more$"),
        ({"cores": True}, "^cores True is no number of cores"),
        ({"cores": 65}, "^cores 65: architecture default has 1 to 64 cores$"),
        ({"packing": "loose"}, "^packing 'loose' is unknown: use 'dense' or 'kernel'$"),
        ({"placement": None}, "^placement None is unknown: use 'frugal', 'scatter' or 'pack'$"),
        ({"granularity": "rows:0"}, "^granularity 'rows:0' is unknown: use 'image', 'auto', or 'rows:N' with N >= 1$"),
        ({"products": "some"}, "^products 'some' is unknown: use 'constant' or 'all'$"),
        ({"lowering": "row"}, "^lowering 'row' is unknown: use 'channel' or 'pixel'$"),
        ({"duplicate": "fast"}, "^duplicate 'fast' is unknown: use one of 'latency', .*, or numbers such as 3,1,2$"),
        ({"arrange": "3;1"}, "^arrange '3;1' is unknown: use one of 'traffic', 'cut', or numbers"),
        ({"chips": "0"}, "^chips '0' is unknown: use 'auto', or how many there are, 1 or more$"),
        ({"chips": "auto", "cores": 65537}, "^cores 65537: architecture default has 1 to 65536 cores$"),
        ({"stagger": "yes"}, "^stagger 'yes' is neither True nor False$"),
        ({"max_length": -1}, "^max_length -1 is no number of tokens"),
        ({"shapes": (("x", (1,)), ("x", (2,)))}, "^shapes x=... is given more than once: an input has one shape$"),
        ({"states": {"a": 1}}, "must be a dictionary of input and output"),
    ],
)
def test_other_values_are_refused_in_one_sentence(given, words):
    with pytest.raises(InputError, match=words):
        checked_for(Arch(cores=64), CompileOptions(**given))


def test_python_and_the_command_line_name_all_options():
    parameters = inspect.signature(compiler.compile).parameters
    assert set(NAMES) <= set(parameters) and parameters["packing"].default == "dense"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "states"])
def test_every_option_is_part_of_the_key_of_a_cache(name):
    value = VALUES.get(name, st.just(True))
    plain = cache_key(DIGITS)
    drawn = {
        "cores": 3,
        "chips": "auto",
        "shapes": {"in0": (2, 1, 8, 8)},
        "max_length": 7,
        "duplicate": "3,1",
        "arrange": "traffic",
    }
    others = {"packing": "kernel", "placement": "pack", "granularity": "auto", "lowering": "pixel", "products": "all"}
    assert cache_key(DIGITS, **{name: (drawn | others).get(name, True)}) != plain, value


def test_one_more_field_is_one_more_option_everywhere():
    @dataclass(frozen=True, kw_only=True)
    class More(CompileOptions):
        spread: int = opt(1, Whole(), "Spread it.")
        loudly: bool = opt(False, Flag(), "Say so.")

    @takes(More)
    def compile(model, **named):
        return More(**named)

    @click.command()
    @options_of(More)
    def command(**values):
        return More(**values | {"shapes": {}, "states": {}})

    assert "spread" in inspect.signature(compile).parameters
    made = command.main(arguments({"spread": 4, "loudly": True}), standalone_mode=False)
    assert (made.spread, made.loudly) == (4, True)
    assert listed(made)["spread"] == "4" and found(More, listed(made))["loudly"] is True
    context = click.Context(command)
    assert "--spread N" in command.get_help(context) and "Say so." in command.get_help(context)
