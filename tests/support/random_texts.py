"""Random programs of linalg on tensors, of one to six operations."""

import random

from hypothesis import strategies as st
from text_products import contraction, convolution, matmul
from text_program import Program, tensor
from text_steps import elementwise, move, pool, reduction
from text_wider import WIDER

STEPS = (contraction, contraction, contraction, matmul, convolution, convolution, elementwise, reduction, pool, move)


def random_text(seed, steps=None, among=None):
    """(text, inputs by name) of a program of one to six operations, of all there are or `among` some."""
    p = Program(random.Random(seed))
    count = steps or p.rng.randint(1, 6)
    for _ in range(count):
        p.rng.choice(among or (WIDER if p.chance(0.4) else STEPS))(p)
    names = {name for name, _, _ in p.inputs}
    made = [value for value in p.values if value[0] not in names and value[2] != "f64"]
    if not made:
        return random_text(seed + 1, steps, among)
    results = made[-1:] if p.chance(0.7) else made[-2:]
    if p.chance(0.1):
        results = [*results, p.rng.choice(p.values[-3:]), results[0]]  # inputs, and twice the same
    results = [value for value in results if value[2] != "f64"]
    return text_of(p, results), {name[1:]: array for name, array, _ in p.inputs}


def text_of(p, results):
    """The text of a program with these results."""
    args = ", ".join(f"{name}: {tensor(array.shape, kind)}" for name, array, kind in p.inputs)
    kinds = ", ".join(tensor(shape, kind) for _, shape, kind in results)
    body = "\n".join(p.lines)
    functions = "".join(f"{each}\n" for each in p.functions)
    text = (
        f"func.func @main({args}) -> ({kinds}) {{\n{body}\n"
        f"return {', '.join(name for name, _, _ in results)} : {kinds}\n}}\n{functions}"
    )
    if not p.resources:
        return text
    rows = ",\n".join(f'      {name}: "0x04000000{digits}"' for name, digits in p.resources.items())
    return f"{text}\n{{-#\n  dialect_resources: {{\n    builtin: {{\n{rows}\n    }}\n  }}\n#-}}\n"


def texts(among=None):
    """Random programs; `among` are the operations, where not all are wanted."""
    return st.integers(0, 1 << 40).map(lambda seed: random_text(seed, among=among))
