"""Random programs of linalg: compiled whole and run by cores, they make what the reference interpreter makes."""

import pytest
from draws import examples
from hypothesis import given, settings
from random_texts import texts
from text_checks import check
from text_steps import convolution


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("texts")


@settings(max_examples=examples(25, 300))
@given(made=texts())
def test_random_programs(made, folder):
    check(made, folder)


@settings(max_examples=examples(10, 200))
@given(made=texts([convolution]))
def test_random_convolutions(made, folder):
    check(made, folder)
