"""More operations of random programs: named ones, gathers, places of extrema, loops, functions, single numbers."""

from math import prod

from text_products import widened
from text_program import (
    BITS,
    HIGHEST,
    LOWEST,
    MOST,
    Program,
    generic,
    indices,
    is_float,
    suffix,
    tensor,
)  # fmt: skip
from text_steps import elementwise, reduction, reductions_of

from compiler.dialects.linalg.named_table import ROWS


def named(p):
    """Any row of the table of named operations."""
    row = p.rng.choice(ROWS)
    kind, wide = _types(p, row)
    sizes = {letter: p.rng.choice([1, 2, 3]) for letter in row.dims}
    strides, dilations = ([p.rng.choice([1, 1, 2]) for _ in row.windows] for _ in range(2))

    def size(index):
        if ":" not in index:
            return sizes[index]
        outer, tap = index.split(":")
        at = row.windows.index(index)
        return (sizes[outer] - 1) * strides[at] + (sizes[tap] - 1) * dilations[at] + 1

    shapes = [tuple(map(size, operand)) for operand in row.operands]
    tensors = shapes[: len(shapes) - 1 - row.scalars]
    if max(map(prod, shapes)) > MOST:
        return
    pool = row.name.startswith("pooling")
    ins = [p.input(tensors[0], kind)]
    ins += [p.empty(each, kind) if pool else _factor(p, each, kind) for each in tensors[1:]]
    kinds = [tensor(each, kind) for each in tensors] + ["i32"] * row.scalars
    ins += [p.scalar(p.rng.choice([0, 3, -2]), "i32") for _ in range(row.scalars)]
    steps = f"tensor<{len(row.windows)}xi64>"
    front = (
        f" {{strides = dense<{strides}> : {steps}, dilations = dense<{dilations}> : {steps}}}" if row.windows else ""
    )
    neutral = 0
    if pool and not row.name.endswith("sum"):
        op = {"max": "arith.max", "min": "arith.min"}[row.name.split("_")[2]]
        op += "imumf" if is_float(wide) else "ui" if "unsigned" in row.name else "si"
        neutral = dict(reductions_of(wide))[op]
    out, made = p.init(shapes[-1], wide, neutral), tensor(shapes[-1], wide)
    p.add(f"linalg.{row.name}{front} ins({', '.join(ins)} : {', '.join(kinds)}) outs({out} : {made}) -> {made}",
          shapes[-1], wide)  # fmt: skip


def _types(p, row):
    if row.body == "quantised":
        return "i8", "i32"
    if "unsigned" in row.body:
        return ("i8", "i8") if p.chance(0.5) else ("i32", "i32")
    return p.rng.choice([("f32", "f32"), ("f32", "f32"), ("i8", "i32"), ("i8", "i8"), ("i32", "i32"), ("f16", "f32")])


def _factor(p, shape, kind):
    return p.constant(shape, kind) if p.chance(0.7) else p.input(shape, kind)


_NAMES = {
    1: ["exp", "abs", "negf", "square", "tanh", "floor", "ceil", "copy", "round"],
    2: ["add", "sub", "mul", "max", "min"],
}


def function(p):
    """A named function of elements, in one of its spellings; or `linalg.map`; or an operation on whole tensors."""
    name, shape, kind = p.pick()
    count = p.rng.choice([1, 2])
    word = p.rng.choice(_NAMES[count])
    if not is_float(kind) and word in ("exp", "negf", "tanh", "floor", "ceil", "round"):
        return
    made = tensor(shape, kind)
    ins = [name] + [_factor(p, shape, kind) for _ in range(count - 1)]
    operands = f"ins({', '.join(ins)} : {', '.join([made] * count)}) outs({p.empty(shape, kind)} : {made})"
    how = p.rng.choice(["named", "kind", "short", "map", "whole", "softmax"])
    end = suffix(kind)
    if how == "softmax" and kind == "f32" and shape:
        axis, empty = p.rng.randrange(len(shape)), p.empty(shape, kind)
        text = f"linalg.softmax dimension({axis}) ins({name} : {made}) outs({empty} : {made}) -> {made}"
        p.add(text, shape, kind)
    elif how == "map" and word in ("add", "sub", "mul"):
        p.add(f"linalg.map {{ arith.{word}{end} }} {operands}", shape, kind)
    elif how == "whole" and word in ("add", "sub", "mul"):
        p.add(f"arith.{word}{end} {ins[0]}, {ins[1]} : {made}", shape, kind)
    else:
        spelt = {"kind": f"elementwise kind=#linalg.elementwise_kind<{word}>", "short": f"elementwise <{word}>"}
        p.add(f"linalg.{spelt.get(how, word)} {operands} -> {made}", shape, kind)


def gather(p):
    """Entries of a value by indices: known ones, data, or functions of the place."""
    name, shape, kind = p.pick(least=1, most=3)
    axis, rank = p.rng.randrange(len(shape)), p.rng.choice([0, 1, 1, 2])
    places = tuple(p.rng.choice([1, 2, 4]) for _ in range(rank))
    integer = p.rng.choice(["i32", "i64", "i8"])
    out = (*shape[:axis], *places, *shape[axis + 1 :])
    if prod(out) > MOST:
        return
    wraps = p.chance(0.3)
    low, high = (-shape[axis] if wraps else 0), shape[axis]
    loops = len(out)
    ins, maps, args, lines = [], [], [], []
    if p.chance(0.85):
        which = p.constant(places, integer, low, high) if p.chance(0.4) else p.input(places, integer, low, high, False)
        ins, args = [(which, places, integer)], [f"%k: {integer}"]
        maps = [indices([f"d{axis + place}" for place in range(rank)], loops)]
        if wraps:  # from the end, as torch writes it
            lines += [
                f"%zero = arith.constant 0 : {integer}", f"%size = arith.constant {shape[axis]} : {integer}",
                f"%neg = arith.cmpi slt, %k, %zero : {integer}", f"%moved = arith.addi %k, %size : {integer}",
                f"%at = arith.select %neg, %moved, %k : {integer}",
            ]  # fmt: skip
        lines.append(f"%i = arith.index_cast {'%at' if wraps else '%k'} : {integer} to index")
    elif rank and places[0] <= shape[axis]:  # backwards
        lines += [f"%n = linalg.index {axis} : index", f"%last = arith.constant {shape[axis] - 1} : index"]
        lines.append("%i = arith.subi %last, %n : index")
    else:
        lines.append(f"%i = arith.constant {p.rng.randrange(shape[axis])} : index")
    at = []
    for dim in range(len(shape)):
        loop = dim if dim < axis else dim + rank - 1
        at.append("%i" if dim == axis else f"%j{dim}")
        if dim != axis:
            lines.append(f"%j{dim} = linalg.index {loop} : index")
    lines += [f"%v = tensor.extract {name}[{', '.join(at)}] : {tensor(shape, kind)}"]
    last = "%v"
    if p.chance(0.3):
        lines.append(f"%w = arith.add{suffix(kind)} %v, %v : {kind}")
        last = "%w"
    lines.append(f"linalg.yield {last} : {kind}")
    maps.append(indices([f"d{k}" for k in range(loops)], loops))
    generic(p, maps, ["parallel"] * loops, ins, (p.empty(out, kind), out, kind), [*args, f"%o: {kind}"], lines)


def place(p):
    """The largest or smallest element along a dimension, and where it stands."""
    name, shape, kind = p.pick(least=1, most=3)
    axis, largest = p.rng.randrange(len(shape)), p.chance(0.6)
    out = tuple(size for dim, size in enumerate(shape) if dim != axis)
    neutral = {True: LOWEST, False: HIGHEST}[largest].get(kind, (-1 if largest else 1) * (1 << (BITS.get(kind) - 1)))
    neutral = neutral if isinstance(neutral, str) or largest else neutral - 1
    where = p.rng.choice(["i64", "i32"])
    rank = len(shape)
    own, kept = indices([f"d{k}" for k in range(rank)], rank), [f"d{k}" for k in range(rank) if k != axis]
    outs = [(p.filled(out, kind, neutral), out, kind), (p.filled(out, where, 0), out, where)]
    better = {True: "gt", False: "lt"}[largest]
    test = f"arith.cmpf o{better}," if is_float(kind) else f"arith.cmpi s{better},"
    word = ("max" if largest else "min") + ("imumf" if is_float(kind) else "si")
    lines = [
        f"%n = linalg.index {axis} : index", f"%i = arith.index_cast %n : index to {where}",
        f"%m = arith.{word} %a, %best : {kind}", f"%c = {test} %a, %best : {kind}",
        f"%s = arith.select %c, %i, %at : {where}", f"linalg.yield %m, %s : {kind}, {where}",
    ]  # fmt: skip
    iterators = ["reduction" if k == axis else "parallel" for k in range(rank)]
    args = [f"%a: {kind}", f"%best: {kind}", f"%at: {where}"]
    generic(p, [own, indices(kept, rank), indices(kept, rank)], iterators, [(name, shape, kind)], outs, args, lines)


def loop(p):
    """Turns that carry a value, or cut a part out of it by the counter."""
    name, shape, kind = p.pick(least=1)
    made, end = tensor(shape, kind), suffix(kind)
    low, high, step = (p.line(f"arith.constant {number} : index") for number in (0, p.rng.choice([0, 1, 2, 3]), 1))
    if p.chance(0.5):
        body = f"%y = arith.add{end} %c, {name} : {made}\nscf.yield %y : {made}"
    else:
        first = [1, *shape[1:]]
        at = ", ".join(["%k", *["0"] * (len(shape) - 1)])
        part = tensor(first, kind)
        body = (
            f"%k = affine.apply affine_map<(d0) -> (d0 mod {shape[0]})>(%i)\n"
            f"%s = tensor.extract_slice %c[{at}] {first} {[1] * len(shape)} : {made} to {part}\n"
            f"%d = arith.add{end} %s, %s : {part}\n"
            f"%y = tensor.insert_slice %d into %c[{at}] {first} {[1] * len(shape)} : {part} into {made}\n"
            f"scf.yield %y : {made}"
        )
    p.add(f"scf.for %i = {low} to {high} step {step} iter_args(%c = {name}) -> ({made}) {{\n{body}\n}}", shape, kind)


def branch(p):
    """A branch that is known."""
    name, shape, kind = p.pick()
    made, condition = tensor(shape, kind), p.scalar(p.rng.choice([0, 1]), "i1")
    p.add(
        f"scf.if {condition} -> ({made}) {{\n%y = arith.add{suffix(kind)} {name}, {name} : {made}\n"
        f"scf.yield %y : {made}\n}} else {{\nscf.yield {name} : {made}\n}}",
        shape,
        kind,
    )


def single(p):
    """One element, what is computed of it, and tensors made of that."""
    name, shape, kind = p.pick(least=1)
    at = [p.line(f"arith.constant {p.rng.randrange(size)} : index") for size in shape]
    value = p.line(f"tensor.extract {name}[{', '.join(at)}] : {tensor(shape, kind)}")
    value = p.line(f"arith.mul{suffix(kind)} {value}, {value} : {kind}")
    how = p.rng.choice(["elements", "splat", "fill", "scalar"])
    if how == "elements":
        p.add(f"tensor.from_elements {value}, {value} : {tensor((2,), kind)}", (2,), kind)
    elif how == "splat":
        p.add(f"tensor.splat {value} : {tensor((2, 3), kind)}", (2, 3), kind)
    elif how == "fill":
        made = tensor(shape, kind)
        p.add(f"linalg.fill ins({value} : {kind}) outs({p.empty(shape, kind)} : {made}) -> {made}", shape, kind)
    else:  # among the operands of a generic operation
        rank = len(shape)
        own = indices([f"d{k}" for k in range(rank)], rank)
        p.lines.append(f"// {value} stands around the body")
        body = [f"%s = arith.add{suffix(kind)} %a, {value} : {kind}", f"linalg.yield %s : {kind}"]
        generic(
            p, [own, own], ["parallel"] * rank, [(name, shape, kind)], (p.empty(shape, kind), shape, kind),
            [f"%a: {kind}", f"%o: {kind}"], body,
        )  # fmt: skip


def call(p):
    """A function of one's own, that is called once or twice."""
    if p.closed:
        return
    name, shape, kind = p.pick()
    inner = Program(p.rng, resources=p.resources, closed=True, prefix=f"f{len(p.functions)}_")
    inner.values.append(("%arg", shape, kind))
    for _ in range(p.rng.choice([1, 2])):
        p.rng.choice([elementwise, elementwise, reduction, function])(inner)
    made, out, out_kind = inner.values[-1]
    if out_kind in ("i1", "f64"):
        return
    word = f"helper{len(p.functions)}"
    kinds = tensor(shape, kind), tensor(out, out_kind)
    body = "\n".join(inner.lines)
    p.functions.append(
        f"func.func private @{word}(%arg: {kinds[0]}) -> {kinds[1]} {{\n{body}\nreturn {made} : {kinds[1]}\n}}"
    )
    spelt = p.rng.choice(["call", "func.call"])
    for _ in range(p.rng.choice([1, 1, 2])):
        p.add(f"{spelt} @{word}({name}) : ({kinds[0]}) -> {kinds[1]}", out, out_kind)


def together(p):
    """Two values that are reduced by one operation."""
    name, shape, kind = p.pick(least=1, most=3)
    other = _factor(p, shape, kind)
    axis, out = (at := p.rng.randrange(len(shape))), tuple(s for d, s in enumerate(shape) if d != at)
    (op, start), (second, beginning) = (p.rng.choice(reductions_of(kind)) for _ in range(2))
    rank = len(shape)
    outs = [(p.init(out, kind, start), out, kind), (p.init(out, kind, beginning), out, kind)]
    own = indices([f"d{k}" for k in range(rank)], rank)
    kept = indices([f"d{k}" for k in range(rank) if k != axis], rank)
    iterators = ["reduction" if k == axis else "parallel" for k in range(rank)]
    lines = [f"%s = {op} %a, %x : {kind}", f"%t = {second} %y, %b : {kind}", f"linalg.yield %s, %t : {kind}, {kind}"]
    args = [f"%a: {kind}", f"%b: {kind}", f"%x: {kind}", f"%y: {kind}"]
    generic(p, [own, own, kept, kept], iterators, [(name, shape, kind), (other, shape, kind)], outs, args, lines)


def wide(p):
    """A sum in a wider type, which is made narrow again."""
    name, shape, kind = p.pick(least=1, kinds={"f32", "i8", "i16", "i32"})
    to = {"f32": "f64", "i8": "i16", "i16": "i32", "i32": "i64"}[kind]
    rank, out = len(shape), shape[:-1]
    own = indices([f"d{k}" for k in range(rank)], rank)
    kept = indices([f"d{k}" for k in range(rank - 1)], rank)
    lines = []
    term = widened(lines, "%a", kind, to, p.chance(0.3))
    lines += [f"%s = arith.add{suffix(to)} {term}, %acc : {to}", f"linalg.yield %s : {to}"]
    total = generic(
        p, [own, kept], ["parallel"] * (rank - 1) + ["reduction"], [(name, shape, kind)],
        (p.filled(out, to, 0), out, to), [f"%a: {kind}", f"%acc: {to}"], lines, False,
    )  # fmt: skip
    lines, all_kept = [], indices([f"d{k}" for k in range(rank - 1)], rank - 1)
    back = widened(lines, "%a", to, kind, False)
    lines.append(f"linalg.yield {back} : {kind}")
    generic(
        p, [all_kept, all_kept], ["parallel"] * (rank - 1), [(total, out, to)], (p.empty(out, kind), out, kind),
        [f"%a: {to}", f"%o: {kind}"], lines,
    )  # fmt: skip


def open_sizes(p):
    """A value of sizes that its type does not say."""
    name, shape, kind = p.pick(least=1)
    shown = ["?" if p.chance(0.6) else size for size in shape]
    made, loose = tensor(shape, kind), tensor(shown, kind)
    cast = p.line(f"tensor.cast {name} : {made} to {loose}")
    sizes = []
    for dim, each in enumerate(shown):
        if each == "?":
            at = p.line(f"arith.constant {dim} : index")
            sizes.append(p.line(f"tensor.dim {cast}, {at} : {loose}"))
    empty = p.line(f"tensor.empty({', '.join(sizes)}) : {loose}")
    rank, end = len(shape), suffix(kind)
    own = indices([f"d{k}" for k in range(rank)], rank)
    sums = generic(
        p, [own, own], ["parallel"] * rank, [(cast, shown, kind)], (empty, shown, kind), [f"%a: {kind}", f"%o: {kind}"],
        [f"%s = arith.add{end} %a, %a : {kind}", f"linalg.yield %s : {kind}"], False,
    )  # fmt: skip
    p.add(f"tensor.cast {sums} : {loose} to {made}", shape, kind)


WIDER = (named, named, named, function, gather, place, loop, branch, single, call, together, wide, open_sizes)
