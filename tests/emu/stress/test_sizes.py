"""Distributions of message sizes."""

import numpy as np
import pytest

from emu.errors import InputError
from emu.stress.sizes import parse_sizes


def draw(text, count=4000):
    return parse_sizes(text).draw(np.random.default_rng(0), count)


def test_fixed_and_plain_numbers():
    assert set(draw("64")) == set(draw("fixed:64")) == {64}


def test_uniform_has_both_ends_and_whole_words():
    assert set(draw("uniform:12,24")) == {12, 16, 20, 24} and parse_sizes("uniform:12,24").largest == 24


def test_bimodal_has_the_second_size_with_its_probability():
    found = draw("bimodal:64,4096,0.1")
    assert set(found) == {64, 4096} and 0.07 < (found == 4096).mean() < 0.13


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "fixed:",
        "fixed:1,2",
        "8",
        "13",
        "-4",
        "uniform:64,12",
        "bimodal:12,16,2",
        "bimodal:12,16,x",
        f"{9:030}",
    ],
)
def test_what_is_refused(text):
    with pytest.raises(InputError, match="size"):
        parse_sizes(text)
