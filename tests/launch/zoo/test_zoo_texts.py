"""Every network of the zoo, at every level: the text that is printed is read, checked, and printed again."""

from pathlib import Path

import pytest

from compiler.compiling import lower
from compiler.module_metadata import carry
from compiler.passes import STAGES
from compiler.request import make_request
from compiler.session.context import make_context
from compiler.text import parse_module, print_module
from launch.zoo import KERNELS, NAMES, build
from launch.zoo.kernels import BUILDERS

SMALL = ("lenet5", "mlp3", "lstm_net", "shufflenet", *(f"{KERNELS}{name}" for name in BUILDERS))
OPTIONS = {
    "default": {"arch": "default"},
    "copies": {"arch": "puma", "cores": 12, "duplicate": "latency", "pipelined": True},
}


def texts_of(name, arch, **options):
    """The texts at the ends of the levels."""
    texts, ends = {}, {last: stage for stage, last in STAGES.items()}

    def watch(step, module, context):
        if step in ends:
            carry(module, context)
            texts[ends[step]] = print_module(module)

    request = make_request(build(name), arch, watch=watch, **options)
    lower(request, make_context(request.arch, request.options))
    return texts


def check(name, options):
    texts = texts_of(name, **OPTIONS[options])
    assert list(texts) == list(STAGES)
    for stage, text in texts.items():
        context = make_context()
        again = parse_module(text, Path(f"{stage}.mlir"), context)
        carry(again, context)
        assert print_module(again) == text, stage


@pytest.mark.parametrize("name", SMALL)
def test_a_text_is_read_as_it_is_printed(name):
    check(name, "default")


def test_a_text_with_bands_is_read_as_it_is_printed():
    check("lenet5", "copies")


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in NAMES if name not in SMALL])
def test_a_long_text_is_read_as_it_is_printed(name):
    check(name, "default")
