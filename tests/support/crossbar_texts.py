"""Random host programs that acquire, write, multiply by and release crossbars, in loops, branches and functions."""

from dataclasses import dataclass, field

from hypothesis import strategies as st

SHAPES = ((4, 3), (2, 3), (4, 1))  # of every crossbar, and of smaller matrices that are written
KIND = "!cim.crossbar<tensor<4x3xi8>, i32>"
ROWS = 2


def tensor(rows, cols, kind="i8"):
    return f"tensor<{rows}x{cols}x{kind}>"


@dataclass
class Writing:
    """A program under way: `lines` of text, values and crossbars by fresh names."""

    draw: object
    lines: list = field(default_factory=list)
    count: int = 0
    functions: int = 0

    def fresh(self, letter):
        self.count += 1
        return f"%{letter}{self.count}"

    def acquired(self):
        """A crossbar with something in it, and the shape of that."""
        name = self.fresh("x")
        self.lines.append(f"{name} = cim.acquire : {KIND}")
        return name, self.write(name)

    def write(self, name):
        rows, cols = self.draw(st.sampled_from(SHAPES))
        value = f"%{self.draw(st.sampled_from('bcd'))}{rows}{cols}"
        self.lines.append(f"cim.write({name}, {value}) : {KIND}, {tensor(rows, cols)}")
        return rows, cols

    def call(self, name, shape):
        """A product that is not awaited yet."""
        rows, cols = shape
        future = self.fresh("f")
        made = f"!cim.future<{tensor(ROWS, cols, 'i32')}>"
        self.lines.append(f"{future} = cim.gemm({name}, %a{rows}) : ({KIND}, {tensor(ROWS, rows)}) -> {made}")
        return future, made, cols

    def add(self, future, made, cols):
        """Wait for a product, and add it to what stands in %o."""
        value, view, place = self.fresh("v"), self.fresh("w"), self.fresh("m")
        part = f"memref<{ROWS}x{cols}xi32, strided<[3, 1]>>"
        flat = f"memref<{ROWS}x{cols}xi32>"
        kind = tensor(ROWS, cols, "i32")
        self.lines += [
            f"{value} = cim.barrier({future}) : ({made}) -> {kind}",
            f"{view} = memref.subview %o[0, 0] [{ROWS}, {cols}] [1, 1] : memref<2x3xi32> to {part}",
            f"{place} = bufferization.to_buffer {value} : {kind} to {flat}",
            f"linalg.add ins({view}, {place} : {part}, {flat}) outs({view} : {part})",
        ]


def block(writing, held, depth):
    """Lines of a block; `held` are crossbars from outside, with what stands in each."""
    draw, own, open_calls = writing.draw, {}, []
    for _ in range(draw(st.integers(2, 5))):
        choice = draw(st.sampled_from(["acquire", "call", "write", "release", "await", "loop", "turn", "if"]))
        both = {**held, **own}
        if choice == "acquire" or (not both and choice not in ("loop", "if")):
            name, shape = writing.acquired()
            own[name] = shape
        elif choice == "call":
            name = draw(st.sampled_from(sorted(both)))
            open_calls.append(writing.call(name, both[name]))
        elif choice == "write" and own:
            name = draw(st.sampled_from(sorted(own)))
            own[name] = writing.write(name)
        elif choice == "release" and own:
            name = draw(st.sampled_from(sorted(own)))
            writing.lines.append(f"cim.release({name}) : {KIND}")
            del own[name]
        elif choice == "await" and open_calls:
            writing.add(*open_calls.pop(draw(st.integers(0, len(open_calls) - 1))))
        elif choice in ("loop", "if") and depth:
            loop = f"scf.for {writing.fresh('i')} = %zero to %three step %one {{"
            writing.lines.append(loop if choice == "loop" else "scf.if %yes {")
            block(writing, both, depth - 1)
            writing.lines.append("}")
        elif choice == "turn" and depth and len(both) > 1:
            _swapping(writing, both, draw(st.permutations(sorted(both)))[:2])
    open_calls += [writing.call(name, shape) for name, shape in own.items()]
    for each in open_calls:
        writing.add(*each)


def _swapping(writing, both, pair):
    """A loop in which two crossbars of the same contents' shape change places."""
    if both[pair[0]] != both[pair[1]]:
        return
    first, second, done, rest = (writing.fresh(letter) for letter in "pqrs")
    writing.lines.append(
        f"{done}, {rest} = scf.for {writing.fresh('i')} = %zero to %three step %one"
        f" iter_args({first} = {pair[0]}, {second} = {pair[1]}) -> ({KIND}, {KIND}) {{"
    )
    writing.add(*writing.call(first, both[pair[0]]))
    writing.lines.append(f"scf.yield {second}, {first} : {KIND}, {KIND}\n}}")
    writing.add(*writing.call(done, both[pair[0]]))


@st.composite
def crossbar_texts(draw):
    """The text of a program that adds products to %o."""
    writing = Writing(draw)
    block(writing, {}, 2)
    helper = Writing(draw)
    block(helper, {"%given": (4, 3)}, 1)
    name, _ = writing.acquired()
    writing.lines.append(f"cim.write({name}, %b43) : {KIND}, {tensor(4, 3)}")
    taken = {"%a4": tensor(2, 4), "%a2": tensor(2, 2), "%o": "memref<2x3xi32>"}
    taken |= {f"%{letter}{rows}{cols}": tensor(rows, cols) for letter in "bcd" for rows, cols in SHAPES}
    values, kinds = ", ".join(taken), ", ".join(taken.values())
    args = ", ".join(f"{value}: {kind}" for value, kind in taken.items())
    call = f"func.call @helper({name}, {values}) : ({KIND}, {kinds}) -> ()"
    start = "linalg.fill ins(%start : i32) outs(%o : memref<2x3xi32>)"
    numbers = (
        "%zero = arith.constant 0 : index\n%one = arith.constant 1 : index\n%three = arith.constant 3 : index\n"
        "%yes = arith.constant true\n%start = arith.constant 7 : i32\n"
    )
    return (
        f"func.func private @helper(%given: {KIND}, {args}) {{\n{numbers}" + "\n".join(helper.lines) + "\nreturn\n}\n"
        f"func.func @main({args}) {{\n{numbers}" + "\n".join([start, *writing.lines, call, "return\n}\n"])
    )
