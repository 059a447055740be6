"""A program of linalg on tensors that grows operation by operation: its lines, its values, its inputs."""

import random
from dataclasses import dataclass, field
from math import prod

import numpy as np

NUMPY = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip
BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "f32": 32, "f64": 64}
FLOATS = ("f16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64")
LOWEST = {"f16": "0xFC00", "f32": "0xFF800000", "f64": "0xFFF0000000000000"}  # minus infinity
HIGHEST = {"f16": "0x7C00", "f32": "0x7F800000", "f64": "0x7FF0000000000000"}
_TYPES = ("f32", "f32", "f32", "i8", "i32", "i16", "i64", "f16")
MOST = 400  # elements of a value


def tensor(shape, kind):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{kind}>"


def is_float(kind):
    return kind in FLOATS


def suffix(kind):
    """Of operations of `arith`."""
    return "f" if is_float(kind) else "i"


def literal(array, kind, spell):
    """Nested lists, as they stand in `dense<...>`."""
    if not array.ndim:
        return spell(array, kind)
    return f"[{', '.join(literal(part, kind, spell) for part in array)}]"


def number(value, kind):
    value = np.asarray(value).item()
    if kind == "i1":
        return str(bool(value)).lower()
    return f"{float(value):.8e}" if is_float(kind) else str(int(value))


def in_digits(value, kind):
    """A number as its bits."""
    if not is_float(kind):
        return number(value, kind)
    return "0x" + NUMPY[kind](value).tobytes()[::-1].hex().upper()


@dataclass
class Program:
    """`lines` of the body so far, `values` as (name, shape, type), `inputs` as (name, array, type).

    `functions` are texts of others that are called, `resources` elements by name. One that is `closed` takes no more
    inputs. `prefix` is that of its values.
    """

    rng: random.Random
    lines: list = field(default_factory=list)
    values: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    resources: dict = field(default_factory=dict)
    count: int = 0
    closed: bool = False
    prefix: str = "v"

    def chance(self, part):
        return self.rng.random() < part

    def name(self):
        self.count += 1
        return f"%{self.prefix}{self.count}"

    def array(self, shape, kind, low=-4, high=5):
        values = np.array([self.rng.randrange(low, high) for _ in range(prod(shape))], np.float64).reshape(shape)
        return (values * 0.5 if is_float(kind) else values > 0 if kind == "i1" else values).astype(NUMPY[kind])

    def add(self, text, shape, kind, keep=True):
        name = self.name()
        self.lines.append(f"{name} = {text}")
        if keep:
            self.values.append((name, tuple(shape), kind))
        return name

    def line(self, text):
        """One whose result is no value of the program."""
        return self.add(text, (), "", False)

    def input(self, shape, kind, low=-4, high=5, keep=True):
        if self.closed or len(self.inputs) > 4:
            return self.constant(shape, kind, low, high)
        name = f"%x{len(self.inputs)}"
        self.inputs.append((name, self.array(shape, kind, low, high), kind))
        if keep:
            self.values.append((name, tuple(shape), kind))
        return name

    def constant(self, shape, kind, low=-4, high=5, array=None):
        """In one of the spellings that there are."""
        array = self.array(shape, kind, low, high) if array is None else array
        made, how = (
            tensor(shape, kind),
            self.rng.choice(["list", "list", "digits", "bytes", "resource", "splat", "form"]),
        )
        if not array.size:
            return self.line(f"arith.constant dense<> : {made}")
        if how == "splat" and array.dtype.kind != "i":
            array = np.full(shape, array.reshape(-1)[0])
        hexadecimal = array.tobytes().hex().upper()
        if how == "splat" and (array == array.reshape(-1)[0]).all():
            elements = f"dense<{number(array.reshape(-1)[0], kind)}>"
        elif how == "bytes" and kind != "i1":
            elements = f'dense<"0x{hexadecimal}">'
        elif how == "resource" and kind != "i1":
            name = f"w{len(self.resources)}"
            self.resources[name] = hexadecimal
            elements = f"dense_resource<{name}>"
        else:
            elements = f"dense<{literal(array, kind, in_digits if how == 'digits' else number)}>"
        if how == "form":
            return self.line(f'"arith.constant"() <{{value = {elements} : {made}}}> : () -> {made}')
        return self.line(f"arith.constant {elements} : {made}")

    def scalar(self, value, kind):
        """A number, or the text of one."""
        text = value if isinstance(value, str) else number(value, kind)
        return self.line(f"arith.constant {text} : {kind}" if kind != "i1" else f"arith.constant {text}")

    def filled(self, shape, kind, value):
        scalar, empty, made = self.scalar(value, kind), self.empty(shape, kind), tensor(shape, kind)
        return self.line(f"linalg.fill ins({scalar} : {kind}) outs({empty} : {made}) -> {made}")

    def init(self, shape, kind, neutral=0):
        """What a reduction begins with: often what changes nothing, sometimes a number, a constant, a value."""
        how = self.rng.choice(["neutral", "neutral", "neutral", "number", "constant", "input", "value"])
        if how == "constant":
            return self.constant(shape, kind)
        if how == "input":
            return self.input(shape, kind)
        fits = [name for name, own, other in self.values if (own, other) == (tuple(shape), kind)]
        if how == "value" and fits:
            return self.rng.choice(fits)
        return self.filled(shape, kind, 3 if how == "number" else neutral)

    def empty(self, shape, kind):
        return self.line(f"tensor.empty() : {tensor(shape, kind)}")

    def pick(self, kinds=None, least=0, most=5):
        """Some value, or a new input."""
        fits = [v for v in self.values if (not kinds or v[2] in kinds) and least <= len(v[1]) <= most]
        if kinds is None:
            fits = [v for v in fits if v[2] not in ("i1", "f64")]
        if fits and self.chance(0.85):
            return self.rng.choice(fits[-3:])
        rank = self.rng.randint(max(1, least), max(1, least, min(most, 4)))
        shape = self.shape(rank)
        kind = self.rng.choice(sorted(kinds) if kinds else _TYPES)
        return self.input(shape, kind), shape, kind

    def shape(self, rank):
        shape = [self.rng.choice([1, 2, 3, 4, 5]) for _ in range(rank)]
        while prod(shape) > MOST:
            shape[self.rng.randrange(rank)] = 1
        return tuple(shape)


def indices(dims, rank):
    return f"affine_map<({', '.join(f'd{k}' for k in range(rank))}) -> ({', '.join(dims)})>"


def generic(p, maps, iterators, ins, outs, args, body, keep=True):
    """A generic operation with one result, or several: then the names of all are told."""
    several = isinstance(outs, list)
    results = outs if several else [outs]
    text = (
        f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = ["
        f"{', '.join(f'{chr(34)}{each}{chr(34)}' for each in iterators)}]}} "
    )
    if ins:
        text += f"ins({', '.join(v[0] for v in ins)} : {', '.join(tensor(v[1], v[2]) for v in ins)}) "
    kinds = ", ".join(tensor(shape, kind) for _, shape, kind in results)
    text += f"outs({', '.join(name for name, _, _ in results)} : {kinds}) {{\n^bb0({', '.join(args)}):\n" + "\n".join(
        body
    )
    if not several:
        return p.add(f"{text}\n}} -> {kinds}", outs[1], outs[2], keep)
    name = p.name()
    p.lines.append(f"{name}:{len(results)} = {text}\n}} -> ({kinds})")
    names = [f"{name}#{place}" for place in range(len(results))]
    p.values += [(each, tuple(shape), kind) for each, (_, shape, kind) in zip(names, results, strict=True)]
    return names
