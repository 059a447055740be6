"""Operations without products that random programs of linalg have: functions of elements, reductions, moves."""

from math import prod

from text_products import padded, widened
from text_program import BITS, HIGHEST, LOWEST, MOST, generic, indices, is_float, number, suffix, tensor

_UNARY = {
    "f": ["arith.negf", "math.absf", "math.exp", "math.tanh", "math.floor", "math.erf", "math.roundeven", "math.cos"],
    "i": ["math.absi"],
}
_BINARY = {
    "f": [
        "arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minimumf", "arith.maxnumf",
        "arith.minnumf", "math.copysign", "math.atan2",
    ],
    "i": [
        "arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi", "arith.andi", "arith.ori",
        "arith.xori", "arith.maxui", "arith.minui",
    ],
}  # fmt: skip
_TESTS = {"f": ["ogt", "ule", "one", "ueq"], "i": ["sgt", "ult", "eq", "uge", "sle"]}


def elementwise(p):
    """A function of one value or two, the second one broadcast, with loops in another order."""
    x = p.pick()
    _, shape, kind = x
    rank, end = len(shape), suffix(kind)
    loops = list(range(rank))
    p.rng.shuffle(loops)
    own = [f"d{loops[k]}" for k in range(rank)]
    out_order = list(range(rank))
    p.rng.shuffle(out_order)
    out_shape = tuple(shape[k] for k in out_order)
    ins, args = [x], [f"%a: {kind}"]
    maps = [
        indices(["0" if size == 1 and rank > 1 and p.chance(0.3) else own[k] for k, size in enumerate(shape)], rank)
    ]
    lines, last = [], "%a"
    if p.chance(0.7):
        kept = [k for k in range(rank) if p.chance(0.7)]
        p.rng.shuffle(kept)
        ones = [k for k in kept if p.chance(0.2)]  # of size 1 there
        b_shape = tuple(1 if k in ones else shape[k] for k in kept)
        fits = [name for name, other, own_kind in p.values if (other, own_kind) == (b_shape, kind)]
        if fits and p.chance(0.3):
            b = p.rng.choice(fits)
        else:
            b = p.constant(b_shape, kind) if p.chance(0.6) else p.input(b_shape, kind)
        ins.append((b, b_shape, kind))
        maps.append(indices(["0" if k in ones else own[k] for k in kept], rank))
        args.append(f"%b: {kind}")
        lines.append(f"%r = {p.rng.choice(_BINARY[end])} %a, %b : {kind}")
        last = "%r"
    if rank and p.chance(0.15):
        loop = p.rng.randrange(rank)
        lines += [f"%n = linalg.index {loop} : index", "%ni = arith.index_cast %n : index to i32"]
        place = "%ni" if kind == "i32" else widened(lines, "%ni", "i32", kind, False)
        lines.append(f"%p = arith.add{end} {last}, {place} : {kind}")
        last = "%p"
    if p.chance(0.4):
        lines.append(f"%u = {p.rng.choice(_UNARY[end])} {last} : {kind}")
        last = "%u"
    if p.chance(0.4):
        compare = f"arith.cmp{end} {p.rng.choice(_TESTS[end])},"
        lines += [f"%c = {compare} {last}, %a : {kind}", f"%t = arith.select %c, {last}, %a : {kind}"]
        last = "%t"
    to = kind
    if p.chance(0.4):
        to = p.rng.choice([other for other in ("f32", "f16", "f64", "i8", "i16", "i32", "i64") if other != kind])
        if is_float(kind) and not is_float(to):
            lines += [
                f"%lo = arith.constant {number(-100, kind)} : {kind}",
                f"%hi = arith.constant {number(100, kind)} : {kind}",
                f"%k0 = arith.maximumf {last}, %lo : {kind}", f"%k1 = arith.minimumf %k0, %hi : {kind}",
                f"%z = arith.fptosi %k1 : {kind} to {to}",
            ]  # fmt: skip
            last = "%z"
        else:
            last = widened(lines, last, kind, to, p.chance(0.4))
    elif p.chance(0.1):
        lines.append(f"%q = arith.cmp{end} {p.rng.choice(_TESTS[end])}, {last}, %a : {kind}")
        to, last = "i1", "%q"
    maps.append(indices([own[k] for k in out_order], rank))
    args.append(f"%o: {to}")
    out = p.empty(out_shape, to)
    if to not in ("i1", "f64") and p.chance(0.15):  # what a result held is read
        out = p.input(out_shape, to)
        lines.append(f"%y = {p.rng.choice(_BINARY[suffix(to)])} {last}, %o : {to}")
        last = "%y"
    lines.append(f"linalg.yield {last} : {to}")
    generic(p, maps, ["parallel"] * rank, ins, (out, out_shape, to), args, lines)


def reductions_of(kind):
    """Operations that put elements together, with what changes nothing."""
    if is_float(kind):
        return [
            ("arith.addf", 0), ("arith.addf", 0), ("arith.maximumf", LOWEST[kind]), ("arith.minimumf", HIGHEST[kind]),
            ("arith.maxnumf", LOWEST[kind]), ("arith.mulf", 1),
        ]  # fmt: skip
    if kind == "i1":
        return [("arith.ori", 0), ("arith.andi", 1), ("arith.maxui", 0), ("arith.xori", 0)]
    limit = 1 << (BITS[kind] - 1)
    return [
        ("arith.addi", 0), ("arith.addi", 0), ("arith.maxsi", -limit), ("arith.minsi", limit - 1), ("arith.muli", 1),
        ("arith.ori", 0), ("arith.andi", -1), ("arith.maxui", 0), ("arith.minui", -1), ("arith.xori", 0),
    ]  # fmt: skip


def reduction(p):
    """Along some dimensions, of the elements or their squares."""
    name, shape, kind = p.pick(least=1, kinds={"i1"} if p.chance(0.05) else None)
    op, neutral = p.rng.choice(reductions_of(kind))
    dims = [k for k in range(len(shape)) if p.chance(0.5)] or [len(shape) - 1]
    kept = [k for k in range(len(shape)) if k not in dims]
    out = tuple(shape[k] for k in kept)
    init = p.init(out, kind, neutral)
    if p.chance(0.4):
        made = tensor(out, kind)
        p.add(
            f"linalg.reduce {{ {op} }} ins({name} : {tensor(shape, kind)}) outs({init} : {made}) dimensions = {dims}",
            out,
            kind,
        )
        return
    turned = kept[:]
    p.rng.shuffle(turned)
    if turned != kept:
        init, out = p.init(tuple(shape[k] for k in turned), kind, neutral), tuple(shape[k] for k in turned)
    maps = [
        indices([f"d{k}" for k in range(len(shape))], len(shape)),
        indices([f"d{k}" for k in turned], len(shape)),
    ]
    iterators = ["reduction" if k in dims else "parallel" for k in range(len(shape))]
    terms, lines = ["%a", "%acc"], []
    if kind != "i1" and p.chance(0.3):
        lines, terms = [f"%q = arith.mul{suffix(kind)} %a, %a : {kind}"], ["%q", "%acc"]
    p.rng.shuffle(terms)
    lines.append(f"%s = {op} {terms[0]}, {terms[1]} : {kind}")
    last = "%s"
    if kind != "i1" and p.chance(0.2):  # of some elements alone
        test = p.rng.choice(_TESTS[suffix(kind)])
        lines.append(f"%k = arith.constant {number(1, kind)} : {kind}")
        lines.append(f"%c = arith.cmp{suffix(kind)} {test}, %a, %k : {kind}")
        lines.append(f"%t = arith.select %c, {', '.join(p.rng.sample(['%s', '%acc'], 2))} : {kind}")
        last = "%t"
    lines.append(f"linalg.yield {last} : {kind}")
    generic(p, maps, iterators, [(name, shape, kind)], (init, out, kind), [f"%a: {kind}", f"%acc: {kind}"], lines)


def pool(p):
    """A named pool."""
    kind = p.rng.choice(["f32", "i8", "i32"])
    layout = p.rng.choice(["nchw", "nhwc"])
    lowest = LOWEST[kind] if is_float(kind) else -(1 << (BITS[kind] - 1))
    how, neutral = p.rng.choice([("max", lowest), ("sum", 0)])
    n, c = p.rng.choice([1, 2]), p.rng.choice([1, 3])
    taps, strides, outs = ([p.rng.choice(range(1, most + 1)) for _ in range(2)] for most in (3, 2, 3))
    image = [(o - 1) * s + t + p.rng.choice([0, 1]) for o, s, t in zip(outs, strides, taps, strict=True)]
    x_shape = (n, c, *image) if layout == "nchw" else (n, *image, c)
    y_shape = (n, c, *outs) if layout == "nchw" else (n, *outs, c)
    x, window = p.input(x_shape, kind), p.empty(tuple(taps), kind)
    if p.chance(0.3):
        axes = (2, 3) if layout == "nchw" else (1, 2)
        x, x_shape = padded(p, x, x_shape, kind, axes, neutral)
        y_shape = tuple(
            (x_shape[axis] - taps[axes.index(axis)]) // strides[axes.index(axis)] + 1 if axis in axes else size
            for axis, size in enumerate(y_shape)
        )
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
    how = p.rng.choice(["transpose", "slice", "collapse", "expand", "concat", "broadcast", "insert", "pad", "parts"])
    if how == "parts" and rank and 2 * prod(shape) < MOST:  # beside each other, into what nobody has written
        axis = p.rng.randrange(rank)
        made = tuple(2 * size if k == axis else size for k, size in enumerate(shape))
        whole, text = p.empty(made, kind), tensor(made, kind)
        for place in p.rng.sample([0, 1], 2):
            at = [place * shape[axis] if k == axis else 0 for k in range(rank)]
            whole = p.line(
                f"tensor.insert_slice {name} into {whole}{at} {list(shape)} {[1] * rank} : {own} into {text}"
            )
        p.values.append((whole, made, kind))
    elif how == "pad":
        padded(p, name, shape, kind, range(rank), p.rng.choice([0, 1, -2]))
    elif how == "transpose":
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
        kept = tuple(s for s in sizes if s != 1) if p.chance(0.5) else tuple(sizes)
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
