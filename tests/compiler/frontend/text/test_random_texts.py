"""Random programs of linalg: compiled whole and run by cores, they make what the reference interpreter makes."""

import pytest
from draws import examples
from hypothesis import given, settings
from random_texts import STEPS, random_text, texts
from text_checks import check
from text_products import convolution
from text_wider import WIDER


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("texts")


@pytest.mark.parametrize("step", dict.fromkeys((*STEPS, *WIDER)), ids=lambda step: step.__name__)
def test_each_step_of_random_programs_by_itself(step, folder):
    """Of so many kinds a short run draws none of some."""
    for seed in range(6):
        check(random_text(seed, steps=1, among=[step]), folder)


@settings(max_examples=examples(25, 300))
@given(made=texts())
def test_random_programs(made, folder):
    check(made, folder)


@settings(max_examples=examples(10, 200))
@given(made=texts([convolution]))
def test_random_convolutions(made, folder):
    check(made, folder)
