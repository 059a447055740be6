"""Products that random programs of linalg have: contractions, named matrix products, convolutions."""

from math import prod

import numpy as np
from text_program import BITS, INTEGERS, MOST, generic, indices, is_float, suffix, tensor


def widened(lines, name, kind, wide, unsigned):
    """A number as one of a wider type; of truth values and integers also as floats."""
    if kind == wide:
        return name
    if is_float(kind):
        op = "extf" if BITS[wide] > BITS[kind] else "truncf"
    elif is_float(wide):
        op = "uitofp" if unsigned else "sitofp"
    else:
        op = ("extui" if unsigned else "extsi") if BITS[wide] > BITS[kind] else "trunci"
    lines.append(f"{name}w = arith.{op} {name} : {kind} to {wide}")
    return f"{name}w"


def product_body(p, kinds, wide, unsigned=(False, False)):
    """`acc + a * b`, in some order, with operands that are widened, and sometimes without a zero point."""
    end, lines, factors = suffix(wide), [], []
    for name, kind, each in zip(("%a", "%b"), kinds, unsigned, strict=True):
        factors.append(widened(lines, name, kind, wide, each))
        if not is_float(wide) and kind != wide and p.chance(0.15):
            lines.append(f"{name}k = arith.constant {p.rng.choice([1, 3, -2])} : {wide}")
            lines.append(f"{name}z = arith.subi {factors[-1]}, {name}k : {wide}")
            factors[-1] = f"{name}z"
    p.rng.shuffle(factors)
    lines.append(f"%m = arith.mul{end} {factors[0]}, {factors[1]} : {wide}")
    terms = ["%acc", "%m"]
    p.rng.shuffle(terms)
    how = "add"
    if p.chance(0.05):
        how, terms = "sub", ["%acc", "%m"]
    lines += [f"%s = arith.{how}{end} {terms[0]}, {terms[1]} : {wide}", f"linalg.yield %s : {wide}"]
    return lines


def result_type(p, kind):
    several = {
        "i8": ["i32", "i32", "i64", "i8", "i16", "f32"], "i16": ["i32", "i64", "i16"], "i32": ["i32", "i32", "i64"],
        "f16": ["f16", "f32"], "f32": ["f32"] * 7 + ["f64"],
    }  # fmt: skip
    return several.get(kind, [kind])


def other_type(p, kind, wide):
    """The type of a second factor: mostly that of the first."""
    if p.chance(0.8) or is_float(wide):
        return kind
    return p.rng.choice([each for each in INTEGERS if BITS[each] <= BITS[wide]])


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
    w_shape, other = tuple(dims[k] for k in weights), other_type(p, kind, wide)
    low, high = (-128, 128) if other == "i8" else (-4, 5)
    fits = [name for name, own_shape, own_kind in p.values if (own_shape, own_kind) == (w_shape, other)]
    if p.chance(0.7):
        w = p.constant(w_shape, other, low, high)
    else:
        w = p.rng.choice(fits) if fits and p.chance(0.5) else p.input(w_shape, other)
    maps = [
        indices(own, len(dims)),
        indices([f"d{loops[k]}" for k in weights], len(dims)),
        indices([f"d{loops[k]}" for k in out], len(dims)),
    ]
    iterators = ["reduction"] * len(dims)
    for k in out:
        iterators[loops[k]] = "parallel"
    ins = [x, (w, w_shape, other)]
    if p.chance(0.5):
        ins, maps = ins[::-1], [maps[1], maps[0], maps[2]]
    kinds = tuple(each[2] for each in ins)
    args = [f"%a: {kinds[0]}", f"%b: {kinds[1]}", f"%acc: {wide}"]
    if "reduction" not in iterators:
        return
    body = product_body(p, kinds, wide, tuple(not is_float(each) and p.chance(0.25) for each in kinds))
    generic(p, maps, iterators, ins, (p.init(shape, wide), shape, wide), args, body)


def matmul(p):
    """A named product, sometimes with turned maps."""
    x = p.pick(least=2, most=2)
    kind, (m, k) = x[2], x[1]
    n = p.rng.choice([1, 2, 3, 6])
    turned = p.chance(0.3)
    wide = p.rng.choice(result_type(p, kind))
    signs = " {cast = #linalg.type_fn<cast_unsigned>}" if not is_float(kind) and p.chance(0.2) else ""
    w_shape = (n, k) if turned else (k, n)
    w = p.constant(w_shape, kind)
    maps = "affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>"
    front = f" indexing_maps = [{maps}]" if turned else ""
    init = p.init((m, n), wide)
    made = tensor((m, n), wide)
    p.add(
        f"linalg.matmul{front}{signs} ins({x[0]}, {w} : {tensor(x[1], kind)}, {tensor(w_shape, kind)})"
        f" outs({init} : {made}) -> {made}",
        (m, n),
        wide,
    )


def convolution(p):
    """Windows of a value, in any layout, with strides and dilations; sometimes of channels of their own."""
    kind = p.rng.choice(["f32", "f32", "i8", "i8", "i16", "f16"])
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
    drop = p.chance(0.4)  # without groups
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
    if p.chance(0.4):
        x, x_shape = padded(p, x, x_shape, kind, [place for place, d in enumerate(x_dims) if d.startswith("o")])
    wide = kind if is_float(kind) else "i32"
    low, high = (-128, 128) if kind == "i8" else (-4, 5)
    w = p.input(w_shape, kind) if p.chance(0.1) else p.constant(w_shape, kind, low, high)
    maps = [
        indices([index(d) for d in x_dims], len(loops)),
        indices([loop[d] for d in w_dims], len(loops)),
        indices([loop[d] for d in y_dims], len(loops)),
    ]
    iterators = ["parallel" if letter in y_dims else "reduction" for letter in loops]
    args = [f"%a: {kind}", f"%b: {kind}", f"%acc: {wide}"]
    init = bias(p, y_shape, wide, [d in "gf" for d in y_dims]) if p.chance(0.3) else p.init(y_shape, wide)
    generic(
        p,
        maps,
        iterators,
        [(x, x_shape, kind), (w, w_shape, kind)],
        (init, y_shape, wide),
        args,
        product_body(p, (kind, kind), wide, (not is_float(kind) and p.chance(0.2),) * 2),
    )


def bias(p, shape, kind, of_filters):
    """A constant that varies along the axes of filters alone."""
    small = p.array(tuple(size if wanted else 1 for size, wanted in zip(shape, of_filters, strict=True)), kind)
    return p.constant(shape, kind, array=np.broadcast_to(small, shape))


def padded(p, x, shape, kind, axes, number=0):
    """A number around some axes of x: its own shape stays what windows meet, so it is larger than they need."""
    low = [p.rng.choice([0, 1, 2]) if axis in axes else 0 for axis in range(len(shape))]
    high = [p.rng.choice([0, 1]) if axis in axes else 0 for axis in range(len(shape))]
    made = tuple(a + size + b for a, size, b in zip(low, shape, high, strict=True))
    zero = p.scalar(number, kind)
    args = ", ".join(f"%i{k}: index" for k in range(len(shape)))
    name = p.add(
        f"tensor.pad {x} low[{', '.join(map(str, low))}] high[{', '.join(map(str, high))}] {{\n^bb0({args}):\n"
        f"tensor.yield {zero} : {kind}\n}} : {tensor(shape, kind)} to {tensor(made, kind)}",
        made,
        kind,
    )
    return name, made
