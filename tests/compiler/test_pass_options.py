"""What passes take of the options: from them, or from the entry of the pipeline, which counts more."""

import pytest
from in_process import compile_in_memory
from onnx_nets import Net

from compiler.basis.options import CompileOptions
from compiler.passes import PIPELINE, make_pass
from emu.arch import Arch, Core, Crossbar
from emu.errors import InputError

CHIP = Arch(name="chip", cores=32, core=Core(crossbars=16), crossbar=Crossbar(16, 16))
SAID = {  # option: a value, and the passes that take it, as a pipeline says it to each
    "packing": ("kernel", "cut-layers{packing=kernel}"),
    "placement": ("scatter", "cut-layers{placement=scatter}"),
    "granularity": ("rows:2", 'lower-spat-to-pim{granularity="rows:2"}'),
}


def model():
    net = Net([1, 2, 8, 8])
    return net.model(net.conv(net.conv("x", 2, 6, (3, 3)), 6, 3, (3, 3)))


def programs(**options):
    return compile_in_memory(model(), CHIP, 20, **options).programs


@pytest.mark.parametrize("name", SAID)
def test_an_option_is_that_of_the_entry(name):
    value, said = SAID[name]
    pipeline = ",".join(said if said.startswith(f"{entry}{{") else entry for entry in PIPELINE)
    by_option, by_entry = programs(**{name: value}), programs(pipeline=pipeline)
    assert by_option == by_entry != programs()


@pytest.mark.parametrize("name", SAID)
def test_the_entry_counts_more_than_the_option(name):
    value, said = SAID[name]
    asked = CompileOptions(packing="dense", placement="pack", granularity="auto")
    assert getattr(make_pass(said, asked), name) == value
    assert getattr(make_pass(said.partition("{")[0], asked), name) == getattr(asked, name)


@pytest.mark.parametrize(
    "entry",
    [
        "cut-layers{packing=loose}",
        "cut-layers{placement=everywhere}",
        'lower-spat-to-pim{granularity="rows:0"}',
        "cut-layers{granularity=image}",
    ],
)
def test_values_that_no_option_takes_are_refused(entry):
    with pytest.raises(InputError, match="cannot be made a pass"):
        make_pass(entry)
