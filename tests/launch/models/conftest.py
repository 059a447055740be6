"""Modules of torch that several tests compile: once each."""

import functools

import pytest
from torch_extra import imported


@pytest.fixture(scope="session")
def compiled():
    """A module of the table by its name, with what it was compiled to; all are closed in the end."""
    imported()
    from torch_modules import CASES

    import compiler

    made = []

    @functools.cache
    def model(name):
        case = CASES[name]
        args, kwargs = case.inputs(0)
        module = case.module()
        made.append(compiler.from_torch(module, args, kwargs))
        return module, made[-1]

    yield model
    for each in made:
        each.close()
