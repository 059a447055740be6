"""Expressions compute what NumPy computes, and nothing else can be said in them."""

import ast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import InputError
from launch.debug.expression import FUNCTIONS, METHODS, evaluate

X = np.arange(6, dtype=np.float32).reshape(2, 3)
LOOKUPS = {"tensor": lambda name: {"x": X, "i": np.array([3, -4], np.int8)}[name]}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1 + 2 * 3", 7),
        ("-2 ** 2", -4),
        ("7 // 2 + 7 % 4", 6),
        ('tensor("x") * 2', X * 2),
        ('tensor("x").max()', 5),
        ('max(abs(tensor("x") - 2))', 3),
        ('np.mean(tensor("x"), axis=0)', X.mean(axis=0)),
        ('tensor("x")[1, ::2]', X[1, ::2]),
        ('tensor("x")[tensor("x") > 2]', X[X > 2]),
        ('tensor("x")[..., None].shape', (2, 3, 1)),
        ('tensor("x").T @ tensor("x")', X.T @ X),
        ('unravel_index(argmax(tensor("x")), tensor("x").shape)', (1, 2)),
        ('i32(tensor("i")) ** 2', np.array([9, 16])),
        ("1 < 2 < 3", True),
        ("1 < 2 > 3", False),
        ("not True", False),
        ("sum([1, 2, 3])", 6),
        ("isnan(nan) & (inf > pi)", True),
        ('allclose(tensor("x"), tensor("x") + 1e-9, atol=1e-6)', True),
        ('~(tensor("x") > 2)', ~(X > 2)),
        ("1 / 0.5", 2.0),
        ("u8(300)", 44),
    ],
)
def test_values(text, wanted):
    found = evaluate(text, LOOKUPS)
    assert np.array_equal(found, wanted) and np.shape(found) == np.shape(wanted)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is no expression"),
        ("1 +", "is no expression"),
        ("x = 1", "is no expression"),
        ("import os", "is no expression"),
        ("x", "'x' is unknown: tensors are written tensor"),
        ("tensr", "did you mean 'tensor'?"),
        ("abs", "abs is a function: call it"),
        ("eval('1')", "there is no function 'eval'"),
        ("__import__('os')", "there is no function '__import__'"),
        ("np.load('f')", "there is no function 'load'"),
        ("np.fromfile('f')", "there is no function 'fromfile'"),
        ("tensor('x').__class__", "'.__class__' is not allowed"),
        ("tensor('x').tofile('f')", "'.tofile()' is not allowed"),
        ("abs.__globals__", "'.__globals__' is not allowed"),
        ("abs.shape", "abs is a function"),
        ("tensor('x').dtype.type", "'.type' is not allowed"),
        ("(lambda: 1)()", "cannot be called"),
        ("lambda: 1", "is not allowed"),
        ("[i for i in (1, 2)]", "is not allowed"),
        ("f'{1}'", "is not allowed"),
        ("{1: 2}", "is not allowed"),
        ("1 if True else 2", "is not allowed"),
        ("True and False", "is not allowed"),
        ("1 is 1", "is not allowed"),
        ("1 << 9999999", "is not allowed"),
        ("(y := 1)", "is not allowed"),
        ("sum(*[1])", "is not allowed"),
        ("b'a'", "is not allowed"),
        ("1j", "is not allowed"),
        ("'a' * 3", "is no number"),
        ("sum(tensor('x'), out=tensor('x'))", "keyword 'out' is not allowed"),
        ("sum(**{'out': 1})", "keyword '**' is not allowed"),
        ("'abc'[0]", "is no array"),
        ("tensor('x')[9]", "cannot be computed: index 9"),
        ("tensor('x') + [1, 2]", "cannot be computed"),
        ("9 ** 100 * 9 ** 100", "too large"),
        ("9.0 ** 9 ** 9 ** 9", "cannot be computed"),
        ("tensor('x')[tensor('i')]", "cannot be computed"),
        ("1 // 0", "cannot be computed"),
        ("-" * 9000 + "1", "cannot be computed"),
        ("(" * 5000 + ")" * 5000, ""),
        ("1 + " * 9000, "at most 10000 characters"),
    ],
)
def test_refusals(text, why):
    with pytest.raises(InputError) as error:
        evaluate(text, LOOKUPS)
    assert why in str(error.value) and "\n" not in str(error.value)


def test_results_too_large_to_hold_are_refused_before_they_are_made():
    wide = {"tensor": lambda name: np.zeros(1 << 20, np.int8)}
    for text in (
        "tensor('w')[:, None] + tensor('w')",
        "tensor('w')[:, None] @ tensor('w')[None]",
        "tensor('w')[:, None] < tensor('w')",
    ):
        with pytest.raises(InputError, match="is too large"):
            evaluate(text, wide)


def test_what_is_looked_up_is_not_changed():
    before = X.copy()
    for name in FUNCTIONS:
        try:
            evaluate(f"{name}(tensor('x'))", LOOKUPS)
        except InputError:
            continue
    for name in METHODS:
        try:
            evaluate(f"tensor('x').{name}()", LOOKUPS)
        except InputError:
            continue
    assert np.array_equal(X, before)


@given(st.text(max_size=60))
def test_any_text_is_a_value_or_a_sentence(text):
    try:
        evaluate(text, LOOKUPS)
    except InputError as error:
        assert "\n" not in str(error)


NUMBERS = st.integers(-5, 5).map(str) | st.sampled_from(["tensor('x')", "tensor('i')", "0.5"])
TREES = st.recursive(
    NUMBERS,
    lambda part: st.one_of(
        st.builds("({} {} {})".format, part, st.sampled_from(["+", "-", "*", "<", "=="]), part),
        st.builds("abs({})".format, part),
        st.builds("sum({})".format, part),
        st.builds("({})[0]".format, part),
    ),
    max_leaves=6,
)


@given(TREES)
def test_it_is_what_python_says(text):
    """Where Python gives a number or an array, so do we, and the same."""
    names = {"tensor": LOOKUPS["tensor"], "abs": np.abs, "sum": np.sum}
    assert ast.parse(text)
    try:
        with np.errstate(all="ignore"):
            wanted = eval(text, names)
    except Exception:
        wanted = None
    try:
        found = evaluate(text, LOOKUPS)
    except InputError:
        assert wanted is None or "[0]" in text
        return
    assert np.array_equal(found, wanted)
