"""Random programs of linalg on tensors: products, convolutions, functions of elements, reductions, moves."""

import random
from dataclasses import dataclass, field
from math import prod

import numpy as np
from hypothesis import strategies as st

_NUMPY = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f32": np.float32}
_BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
_TYPES = ("f32", "f32", "i8", "i32", "i16", "i64")
MOST = 400  # elements of a value


def tensor(shape, kind):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{kind}>"


def literal(array, kind):
    if not array.ndim:
        return number(array.item(), kind)
    return f"[{', '.join(literal(part, kind) for part in array)}]"


def number(value, kind):
    return f"{float(value):.8e}" if kind == "f32" else str(int(value))


@dataclass
class Program:
    """`lines` of the body so far, `values` as (name, shape, type), `inputs` as (name, array)."""

    rng: random.Random
    lines: list = field(default_factory=list)
    values: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    count: int = 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def array(self, shape, kind, low=-4, high=5):
        values = np.array([self.rng.randrange(low, high) for _ in range(prod(shape))], np.float64).reshape(shape)
        return (values * 0.5 if kind == "f32" else values).astype(_NUMPY[kind])

    def add(self, text, shape, kind, keep=True):
        name = self.name()
        self.lines.append(f"{name} = {text}")
        if keep:
            self.values.append((name, tuple(shape), kind))
        return name

    def input(self, shape, kind):
        name = f"%x{len(self.inputs)}"
        self.inputs.append((name, self.array(shape, kind), kind))
        self.values.append((name, tuple(shape), kind))
        return name

    def constant(self, shape, kind, low=-4, high=5):
        array = self.array(shape, kind, low, high)
        return self.add(f"arith.constant dense<{literal(array, kind)}> : {tensor(shape, kind)}", shape, kind, False)

    def scalar(self, value, kind):
        return self.add(f"arith.constant {number(value, kind)} : {kind}", (), kind, False)

    def init(self, shape, kind, neutral=0):
        """What a reduction begins with: often what changes nothing, sometimes a number, a constant, an input."""
        how = self.rng.choice(["neutral", "neutral", "neutral", "number", "constant", "input"])
        if how == "constant":
            return self.constant(shape, kind)
        if how == "input" and len(self.inputs) < 4:
            return self.input(shape, kind)
        scalar = (
            self.scalar(neutral if how == "neutral" or isinstance(neutral, str) else 3, kind)
            if not isinstance(neutral, str)
            else self.add(f"arith.constant {neutral} : {kind}", (), kind, False)
        )
        empty = self.empty(shape, kind)
        kind_text = tensor(shape, kind)
        return self.add(
            f"linalg.fill ins({scalar} : {kind}) outs({empty} : {kind_text}) -> {kind_text}", shape, kind, False
        )

    def empty(self, shape, kind):
        return self.add(f"tensor.empty() : {tensor(shape, kind)}", shape, kind, False)

    def pick(self, kinds=None, least=0, most=5):
        """Some value, or a new input."""
        fits = [v for v in self.values if (not kinds or v[2] in kinds) and least <= len(v[1]) <= most]
        if fits and self.rng.random() < 0.85:
            return self.rng.choice(fits[-3:])
        rank = self.rng.randint(max(1, least), max(1, min(most, 4)))
        shape = [self.rng.choice([1, 2, 3, 4, 5]) for _ in range(rank)]
        while prod(shape) > MOST:
            shape[self.rng.randrange(rank)] = 1
        kind = self.rng.choice(sorted(kinds) if kinds else _TYPES)
        return self.input(tuple(shape), kind), tuple(shape), kind


def indices(dims, rank):
    return f"affine_map<({', '.join(f'd{k}' for k in range(rank))}) -> ({', '.join(dims)})>"


def generic(p, maps, iterators, ins, outs, args, body):
    """A generic operation with one result."""
    text = (
        f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = ["
        f"{', '.join(f'{chr(34)}{each}{chr(34)}' for each in iterators)}]}} "
    )
    if ins:
        text += f"ins({', '.join(v[0] for v in ins)} : {', '.join(tensor(v[1], v[2]) for v in ins)}) "
    name, shape, kind = outs
    text += f"outs({name} : {tensor(shape, kind)}) {{\n^bb0({', '.join(args)}):\n" + "\n".join(body)
    return p.add(f"{text}\n}} -> {tensor(shape, kind)}", shape, kind)


def widened(lines, name, kind, wide, unsigned):
    if kind == wide:
        return name
    op = "extui" if unsigned else "extsi"
    lines.append(f"{name}w = arith.{op} {name} : {kind} to {wide}")
    return f"{name}w"


def product_body(p, kinds, wide, unsigned=False):
    """`acc + a * b`, in some order, with operands that are widened."""
    suffix, lines = ("f" if wide == "f32" else "i"), []
    factors = [widened(lines, name, kind, wide, unsigned) for name, kind in zip(("%a", "%b"), kinds, strict=True)]
    p.rng.shuffle(factors)
    lines.append(f"%m = arith.mul{suffix} {factors[0]}, {factors[1]} : {wide}")
    terms = ["%acc", "%m"]
    p.rng.shuffle(terms)
    lines += [f"%s = arith.add{suffix} {terms[0]}, {terms[1]} : {wide}", f"linalg.yield %s : {wide}"]
    return lines


def result_type(p, kind):
    several = {"i8": ["i32", "i32", "i64", "i8"], "i16": ["i32", "i64"]}
    return several.get(kind, [kind])


def contraction(p):
    """A sum of products with dimensions in any order: of a constant on either side, or of two values."""
    x = p.pick(least=1)
    kind, rank = x[2], len(x[1])
    roles = [p.rng.choice(["row", "inner", "inner", "both"]) for _ in range(rank)]
    columns = [p.rng.choice([1, 2, 3, 5]) for _ in range(p.rng.randint(0, 2))]
    dims = [*x[1], *columns]
    loops = list(range(len(dims)))
    p.rng.shuffle(loops)  # the loop of each dimension
    own = [f"d{loops[k]}" for k in range(rank)]
    weights = [k for k in range(rank) if roles[k] != "row"] + list(range(rank, len(dims)))
    p.rng.shuffle(weights)
    out = [k for k in range(len(dims)) if k >= rank or roles[k] != "inner"]
    p.rng.shuffle(out)
    shape = tuple(dims[k] for k in out)
    if prod(dims) > 4000 or prod(shape) > MOST:
        return
    wide = p.rng.choice(result_type(p, kind))
    w_shape = tuple(dims[k] for k in weights)
    fixed = p.rng.random() < 0.7 or len(p.inputs) > 3
    low, high = (-128, 128) if kind == "i8" else (-4, 5)
    w = p.constant(w_shape, kind, low, high) if fixed else p.input(w_shape, kind)
    maps = [
        indices(own, len(dims)),
        indices([f"d{loops[k]}" for k in weights], len(dims)),
        indices([f"d{loops[k]}" for k in out], len(dims)),
    ]
    iterators = ["reduction"] * len(dims)
    for k in out:
        iterators[loops[k]] = "parallel"
    ins = [x, (w, w_shape, kind)]
    if p.rng.random() < 0.5:
        ins, maps = ins[::-1], [maps[1], maps[0], maps[2]]
    args = [f"%a: {kind}", f"%b: {kind}", f"%acc: {wide}"]
    if "reduction" not in iterators:
        return
    body = product_body(p, (kind, kind), wide, kind != "f32" and p.rng.random() < 0.3)
    generic(p, maps, iterators, ins, (p.init(shape, wide), shape, wide), args, body)


def matmul(p):
    """A named product, sometimes with turned maps."""
    x = p.pick(least=2, most=2)
    kind, (m, k) = x[2], x[1]
    n = p.rng.choice([1, 2, 3, 6])
    turned = p.rng.random() < 0.3
    wide = p.rng.choice(result_type(p, kind))
    w_shape = (n, k) if turned else (k, n)
    w = p.constant(w_shape, kind)
    maps = "affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>"
    front = f" indexing_maps = [{maps}]" if turned else ""
    init = p.init((m, n), wide)
    made = tensor((m, n), wide)
    p.add(
        f"linalg.matmul{front} ins({x[0]}, {w} : {tensor(x[1], kind)}, {tensor(w_shape, kind)})"
        f" outs({init} : {made}) -> {made}",
        (m, n),
        wide,
    )


def convolution(p):
    """Windows of a value, in any layout, with strides and dilations; sometimes of channels of their own."""
    kind = p.rng.choice(["f32", "i8"])
    spatial = p.rng.choice([1, 1, 2, 2, 3])
    taps = [p.rng.choice([1, 2, 3]) for _ in range(spatial)]
    strides = [p.rng.choice([1, 1, 2]) for _ in range(spatial)]
    dilations = [p.rng.choice([1, 1, 2]) for _ in range(spatial)]
    outs = [p.rng.choice([1, 2, 3]) for _ in range(spatial)]
    spare = [p.rng.choice([0, 0, 1, 2]) for _ in range(spatial)]
    image = [
        (o - 1) * s + (t - 1) * d + 1 + e for o, s, t, d, e in zip(outs, strides, taps, dilations, spare, strict=True)
    ]
    groups, inner, filters = (p.rng.choice([1, 2, 3]) for _ in range(3))
    letters = ["n", "g", "c", "f", *(f"o{k}" for k in range(spatial)), *(f"t{k}" for k in range(spatial))]
    sizes = dict(zip(letters, [p.rng.choice([1, 1, 2]), groups, inner, filters, *outs, *taps], strict=True))
    loops = letters[:]
    p.rng.shuffle(loops)
    loop = {letter: f"d{loops.index(letter)}" for letter in letters}
    drop = p.rng.random() < 0.4  # without groups
    x_dims = ["n", *([] if drop else ["g"]), "c", *(f"o{k}" for k in range(spatial))]
    w_dims = [*([] if drop else ["g"]), "f", "c", *(f"t{k}" for k in range(spatial))]
    y_dims = ["n", *([] if drop else ["g"]), "f", *(f"o{k}" for k in range(spatial))]
    if drop:
        loops.remove("g")
        loop = {letter: f"d{loops.index(letter)}" for letter in loops}
    for dims in (x_dims, w_dims, y_dims):
        p.rng.shuffle(dims)

    def term(letter, factor):
        return loop[letter] if factor == 1 else f"{loop[letter]} * {factor}"

    def index(letter):
        if not letter.startswith("o"):
            return loop[letter]
        k = int(letter[1:])
        return f"{term(letter, strides[k])} + {term(f't{k}', dilations[k])}"

    x_shape = tuple(image[int(d[1:])] if d.startswith("o") else sizes[d] for d in x_dims)
    w_shape, y_shape = tuple(sizes[d] for d in w_dims), tuple(sizes[d] for d in y_dims)
    x = p.input(x_shape, kind)
    if p.rng.random() < 0.4:
        x, x_shape = padded(p, x, x_shape, kind, [place for place, d in enumerate(x_dims) if d.startswith("o")])
    wide = "f32" if kind == "f32" else "i32"
    w = p.constant(w_shape, kind, -128 if kind == "i8" else -4, 128 if kind == "i8" else 5)
    maps = [
        indices([index(d) for d in x_dims], len(loops)),
        indices([loop[d] for d in w_dims], len(loops)),
        indices([loop[d] for d in y_dims], len(loops)),
    ]
    iterators = ["parallel" if letter in y_dims else "reduction" for letter in loops]
    args = [f"%a: {kind}", f"%b: {kind}", f"%acc: {wide}"]
    init = p.init(y_shape, wide)
    generic(
        p,
        maps,
        iterators,
        [(x, x_shape, kind), (w, w_shape, kind)],
        (init, y_shape, wide),
        args,
        product_body(p, (kind, kind), wide),
    )


def padded(p, x, shape, kind, axes):
    """Zeros around some axes of x: its own shape stays what windows meet, so it is larger than they need."""
    low = [p.rng.choice([0, 1, 2]) if axis in axes else 0 for axis in range(len(shape))]
    high = [p.rng.choice([0, 1]) if axis in axes else 0 for axis in range(len(shape))]
    made = tuple(a + size + b for a, size, b in zip(low, shape, high, strict=True))
    zero = p.scalar(0, kind)
    args = ", ".join(f"%i{k}: index" for k in range(len(shape)))
    name = p.add(
        f"tensor.pad {x} low[{', '.join(map(str, low))}] high[{', '.join(map(str, high))}] {{\n^bb0({args}):\n"
        f"tensor.yield {zero} : {kind}\n}} : {tensor(shape, kind)} to {tensor(made, kind)}",
        made,
        kind,
    )
    return name, made


_UNARY = {
    "f32": ["arith.negf", "math.absf", "math.exp", "math.tanh", "math.floor", "math.erf"],
    "int": ["math.absi"],
}
_BINARY = {
    "f32": ["arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minimumf"],
    "int": [
        "arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi", "arith.andi", "arith.ori",
        "arith.xori", "arith.maxui", "arith.minui",
    ],
}  # fmt: skip


def elementwise(p):
    """A function of one value or two, the second one broadcast, with loops in another order."""
    x = p.pick()
    _, shape, kind = x
    family = "f32" if kind == "f32" else "int"
    rank = len(shape)
    loops = list(range(rank))
    p.rng.shuffle(loops)
    own = [f"d{loops[k]}" for k in range(rank)]
    out_order = list(range(rank))
    p.rng.shuffle(out_order)
    out_shape = tuple(shape[k] for k in out_order)
    ins, maps, args = [x], [indices(own, rank)], [f"%a: {kind}"]
    lines, last = [], "%a"
    if p.rng.random() < 0.7:
        kept = [k for k in range(rank) if p.rng.random() < 0.7]
        b_shape = tuple(shape[k] for k in kept)
        b = p.constant(b_shape, kind) if p.rng.random() < 0.6 or len(p.inputs) > 3 else p.input(b_shape, kind)
        ins.append((b, b_shape, kind))
        maps.append(indices([own[k] for k in kept], rank))
        args.append(f"%b: {kind}")
        lines.append(f"%r = {p.rng.choice(_BINARY[family])} %a, %b : {kind}")
        last = "%r"
    if p.rng.random() < 0.4:
        lines.append(f"%u = {p.rng.choice(_UNARY[family])} {last} : {kind}")
        last = "%u"
    if p.rng.random() < 0.4:
        compare = (
            f"arith.cmpf {p.rng.choice(['ogt', 'ule', 'one'])},"
            if family == "f32"
            else (f"arith.cmpi {p.rng.choice(['sgt', 'ult', 'eq', 'uge'])},")
        )
        lines += [f"%c = {compare} {last}, %a : {kind}", f"%t = arith.select %c, {last}, %a : {kind}"]
        last = "%t"
    to = kind
    if p.rng.random() < 0.4:
        to = p.rng.choice([other for other in ("f32", "i8", "i16", "i32", "i64") if other != kind])
        if kind == "f32":
            lines += [
                f"%lo = arith.constant {number(-100, kind)} : f32", f"%hi = arith.constant {number(100, kind)} : f32",
                f"%k0 = arith.maximumf {last}, %lo : f32", "%k1 = arith.minimumf %k0, %hi : f32",
            ]  # fmt: skip
            op, last = "fptosi", "%k1"
        elif to == "f32":
            op = "sitofp"
        else:
            op = p.rng.choice(["extsi", "extui"]) if _BITS[to] > _BITS[kind] else "trunci"
        lines.append(f"%z = arith.{op} {last} : {kind} to {to}")
        last = "%z"
    lines.append(f"linalg.yield {last} : {to}")
    maps.append(indices([own[k] for k in out_order], rank))
    args.append(f"%o: {to}")
    generic(p, maps, ["parallel"] * rank, ins, (p.empty(out_shape, to), out_shape, to), args, lines)


_REDUCTIONS = {
    "f32": [("arith.addf", 0), ("arith.maximumf", "0xFF800000"), ("arith.minimumf", "0x7F800000")],
    "int": [("arith.addi", 0), ("arith.maxsi", None), ("arith.minsi", None), ("arith.muli", 1), ("arith.ori", 0)],
}


def reduction(p):
    """Along some dimensions, of the elements or their squares."""
    name, shape, kind = p.pick(least=1)
    op, neutral = p.rng.choice(_REDUCTIONS["f32" if kind == "f32" else "int"])
    dims = [k for k in range(len(shape)) if p.rng.random() < 0.5] or [len(shape) - 1]
    kept = [k for k in range(len(shape)) if k not in dims]
    out = tuple(shape[k] for k in kept)
    if neutral is None:
        limit = 1 << (_BITS[kind] - 1)
        neutral = -limit if "max" in op else limit - 1
    init = p.init(out, kind, neutral)
    if p.rng.random() < 0.4:
        made = tensor(out, kind)
        p.add(
            f"linalg.reduce {{ {op} }} ins({name} : {tensor(shape, kind)}) outs({init} : {made}) dimensions = {dims}",
            out,
            kind,
        )
        return
    maps = [
        indices([f"d{k}" for k in range(len(shape))], len(shape)),
        indices([f"d{k}" for k in kept], len(shape)),
    ]
    iterators = ["reduction" if k in dims else "parallel" for k in range(len(shape))]
    square = f"%q = arith.mul{'f' if kind == 'f32' else 'i'} %a, %a : {kind}"
    terms = ["%a", "%acc"]
    lines = []
    if p.rng.random() < 0.3:
        lines, terms = [square], ["%q", "%acc"]
    p.rng.shuffle(terms)
    lines += [f"%s = {op} {terms[0]}, {terms[1]} : {kind}", f"linalg.yield %s : {kind}"]
    generic(p, maps, iterators, [(name, shape, kind)], (init, out, kind), [f"%a: {kind}", f"%acc: {kind}"], lines)


def pool(p):
    """A named pool."""
    kind = p.rng.choice(["f32", "i8", "i32"])
    layout = p.rng.choice(["nchw", "nhwc"])
    how, neutral = p.rng.choice(
        [("max", "0xFF800000" if kind == "f32" else -(1 << (_BITS.get(kind, 8) - 1))), ("sum", 0)]
    )
    n, c = p.rng.choice([1, 2]), p.rng.choice([1, 3])
    taps, strides, outs = ([p.rng.choice(range(1, most + 1)) for _ in range(2)] for most in (3, 2, 3))
    image = [(o - 1) * s + t + p.rng.choice([0, 1]) for o, s, t in zip(outs, strides, taps, strict=True)]
    x_shape = (n, c, *image) if layout == "nchw" else (n, *image, c)
    y_shape = (n, c, *outs) if layout == "nchw" else (n, *outs, c)
    x, window = p.input(x_shape, kind), p.empty(tuple(taps), kind)
    made = tensor(y_shape, kind)
    init = p.init(y_shape, kind, neutral)
    p.add(
        f"linalg.pooling_{layout}_{how} {{strides = dense<{strides}> : vector<2xi64>}}"
        f" ins({x}, {window} : {tensor(x_shape, kind)}, {tensor(taps, kind)}) outs({init} : {made}) -> {made}",
        y_shape,
        kind,
    )


def move(p):
    """A transpose, a slice, a reshape, a broadcast or a concatenation."""
    name, shape, kind = p.pick(least=1)
    own, rank = tensor(shape, kind), len(shape)
    how = p.rng.choice(["transpose", "slice", "collapse", "expand", "concat", "broadcast", "insert"])
    if how == "transpose":
        perm = list(range(rank))
        p.rng.shuffle(perm)
        made = tuple(shape[k] for k in perm)
        empty = p.empty(made, kind)
        p.add(
            f"linalg.transpose ins({name} : {own}) outs({empty} : {tensor(made, kind)}) permutation = {perm}",
            made,
            kind,
        )
    elif how == "slice":
        steps = [p.rng.choice([1, 1, 2]) for _ in shape]
        lows = [p.rng.randrange(size) for size in shape]
        sizes = [p.rng.randint(1, -(-(size - low) // step)) for size, low, step in zip(shape, lows, steps, strict=True)]
        kept = tuple(s for s in sizes if s != 1) if p.rng.random() < 0.5 else tuple(sizes)
        p.add(f"tensor.extract_slice {name}{lows} {sizes} {steps} : {own} to {tensor(kept, kind)}", kept, kind)
    elif how == "collapse" and rank > 1:
        at = p.rng.randrange(rank - 1)
        groups = [[k] for k in range(at)] + [[at, at + 1]] + [[k] for k in range(at + 2, rank)]
        made = tuple(prod(shape[k] for k in group) for group in groups)
        p.add(f"tensor.collapse_shape {name} {groups} : {own} into {tensor(made, kind)}", made, kind)
    elif how == "expand" and rank < 5:
        at = p.rng.randrange(rank)
        part = p.rng.choice([d for d in range(1, shape[at] + 1) if shape[at] % d == 0])
        made = (*shape[:at], part, shape[at] // part, *shape[at + 1 :])
        groups = [[k] for k in range(at)] + [[at, at + 1]] + [[k + 1] for k in range(at + 1, rank)]
        p.add(
            f"tensor.expand_shape {name} {groups} output_shape {list(made)} : {own} into {tensor(made, kind)}",
            made,
            kind,
        )
    elif how == "concat" and 2 * prod(shape) < MOST:
        axis = p.rng.randrange(rank)
        made = tuple(2 * size if k == axis else size for k, size in enumerate(shape))
        other = p.constant(shape, kind)
        p.add(f"tensor.concat dim({axis}) {name}, {other} : ({own}, {own}) -> {tensor(made, kind)}", made, kind)
    elif how == "broadcast" and rank < 5 and 3 * prod(shape) < MOST:
        at = p.rng.randrange(rank + 1)
        made = (*shape[:at], 3, *shape[at:])
        empty = p.empty(made, kind)
        p.add(
            f"linalg.broadcast ins({name} : {own}) outs({empty} : {tensor(made, kind)}) dimensions = [{at}]", made, kind
        )
    elif how == "insert":
        lows = [p.rng.choice([0, 1, 2]) for _ in shape]
        made = tuple(low + size + p.rng.choice([0, 1]) for low, size in zip(lows, shape, strict=True))
        if prod(made) < MOST:
            dest = p.constant(made, kind)
            p.add(
                f"tensor.insert_slice {name} into {dest}{lows} {list(shape)} {[1] * rank} : {own} into"
                f" {tensor(made, kind)}",
                made,
                kind,
            )


STEPS = (contraction, contraction, contraction, matmul, convolution, convolution, elementwise, reduction, pool, move)


def random_text(seed, steps=None):
    """(text, inputs by name, types of the results) of a program of one to six operations."""
    p = Program(random.Random(seed))
    count = steps or p.rng.randint(1, 6)
    for _ in range(count):
        p.rng.choice(STEPS)(p)
    names = {name for name, _, _ in p.inputs}
    made = [value for value in p.values if value[0] not in names] or [p.values[-1] if p.values else None]
    if made == [None]:
        return random_text(seed + 1, steps)
    results = made[-1:] if p.rng.random() < 0.7 else made[-2:]
    args = ", ".join(f"{name}: {tensor(array.shape, kind)}" for name, array, kind in p.inputs)
    kinds = ", ".join(tensor(shape, kind) for _, shape, kind in results)
    body = "\n".join(p.lines)
    text = (
        f"func.func @main({args}) -> ({kinds}) {{\n{body}\n"
        f"return {', '.join(name for name, _, _ in results)} : {kinds}\n}}\n"
    )
    return text, {name[1:]: array for name, array, _ in p.inputs}


def texts():
    """Random programs."""
    return st.integers(0, 1 << 40).map(random_text)
