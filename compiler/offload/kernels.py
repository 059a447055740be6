"""The kernels that OCC is measured with (Siemieniuk et al., TCAD 2022), and graphs of products, as texts of any size.

Products are of elements `kind`, which sums are narrowed to before the next product, as in OCC's 8-bit arithmetic.
Their sizes and statements are those of its table 2 and of the Tensor Comprehensions in its published sources.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from compiler.offload.comprehension import text_of
from compiler.offload.host_text import HostTensor, HostText

CHANNELS, TAPS = 3, 3  # of convolutions: channels and filters, and taps along each dimension
DILATION = 4  # of the wavenet layer


@dataclass(frozen=True, slots=True)
class OffloadKernel:
    """`build` makes the text for a size and a type of elements; OCC's size is `size`.

    `sites` are the calls that its oracle offloads. What is too large to be executed here is executed in the size
    `executed`, and counted in its own.
    """

    build: Callable[[int, str], str]
    sites: int
    size: int = 256
    executed: int | None = None

    def text(self, size: int | None = None, kind: str = "i8") -> str:
        """The program in a size, without one in OCC's."""
        return self.build(size or self.size, kind)


def _contraction(form: str) -> Callable[[int, str], str]:
    """One contraction, all indices of one size, those of taps (p, q, r) of their own."""

    def build(size: int, kind: str) -> str:
        names = {name: size for name in form if name.islower()}
        taps = {name: TAPS for name in "pqr" if name in names}
        channels = {name: CHANNELS for name in "io" if name in names} | ({"z": 1} if "z" in names else {})
        return text_of(form, names | taps | channels, kind)

    return build


def _product(text: HostText, a: HostTensor, b: HostTensor) -> HostTensor:
    """[m, k] x [k, n], as elements."""
    start = text.zeros([a.shape[0], b.shape[1]])
    return text.narrowed(text.add_products((start, "mn"), ((a, "mk"), (b, "kn"))))


def _two(size: int, kind: str) -> str:
    text = HostText(kind)
    a, b, c = (text.input(name, [size, size]) for name in "abc")
    return text.function(_product(text, c, _product(text, a, b)))


def _three(size: int, kind: str) -> str:
    text = HostText(kind)
    a, b, c, d = (text.input(name, [size, size]) for name in "abcd")
    return text.function(_product(text, _product(text, a, b), _product(text, c, d)))


def _mlp3(size: int, kind: str) -> str:
    """Three layers, x W^T + b, each with a ReLU."""
    text = HostText(kind)
    value = text.input("x", [size, size])
    for layer in range(3):
        weights, bias = text.input(f"w{layer}", [size, size]), text.input(f"b{layer}", [size])
        start = text.widened(text.spread(bias, [size, size], 1))
        total = text.add_products((start, "mn"), ((value, "mk"), (weights, "nk")))
        value = text.each("max", text.narrowed(total), 0)
    return text.function(value)


def _kronecker3(size: int, kind: str) -> str:
    """Three matrices [size / 2, size], one along each of the last three dimensions of a tensor."""
    half = size // 2
    text = HostText(kind)
    value = text.input("x", [half, size, size, size])
    for place, (taken, made) in enumerate((("mabk", "mabd"), ("makd", "mabd"), ("mkbd", "mabd"))):
        weights = text.input(f"w{place}", [half, size])
        shape = list(value.shape)
        shape[3 - place] = half
        indices = (weights, made[3 - place] + "k")
        value = text.narrowed(text.add_products((text.zeros(shape), made), ((value, taken), indices)))
    return text.function(value)


def _lstm(size: int, kind: str) -> str:
    """One step of `size` cells: gates f, i, o and c of the input and the state before, by one product.

    sigmoid and tanh are cut to 0 and 1, or -1 and 1, as OCC has them.
    """
    text = HostText(kind)
    before, given = text.input("c", [size]), text.input("xh", [2 * size])
    weights = text.input("w", [2 * size, 4 * size])
    states = text.narrowed(text.add_products((text.zeros([4 * size]), "n"), ((given, "k"), (weights, "kn"))))
    forget, write, out, cell = (text.part(states, [gate * size], [size]) for gate in range(4))
    kept = text.each("mul", text.clipped(forget, 0, 1), before)
    added = text.each("mul", text.clipped(write, 0, 1), text.clipped(cell, -1, 1))
    now = text.each("add", kept, added)
    return text.function(now, text.each("mul", text.clipped(out, 0, 1), text.clipped(now, -1, 1)))


def _wavenet(size: int, kind: str) -> str:
    """One layer on `size` steps: a filter and a gate, both of now and DILATION steps ago, then residual and skip.

    Filter and gate add two products at a time, which is no contraction: OCC's oracle counts the other two.
    """
    residual, skip = size // 8, size // 4
    text = HostText(kind)
    x = text.input("x", [1, residual, size])
    past, sides = text.late(x, DILATION), list[HostTensor]()
    for name in ("filter", "gate"):
        then, now = (text.input(f"{name}_{when}", [residual, residual]) for when in ("then", "now"))
        start = text.widened(text.spread(text.input(f"{name}_bias", [residual]), x.shape, 1))
        terms = ((x, "brt"), (now, "dr")), ((past, "brt"), (then, "dr"))
        sides.append(text.narrowed(text.add_products((start, "bdt"), *terms)))
    gated = text.each("mul", text.clipped(sides[0], -1, 1), text.clipped(sides[1], 0, 1))

    def point(name: str, channels: int) -> HostTensor:
        weights, bias = text.input(f"{name}_w", [channels, residual]), text.input(f"{name}_bias", [channels])
        start = text.widened(text.spread(bias, [1, channels, size], 1))
        return text.narrowed(text.add_products((start, "bct"), ((gated, "bdt"), (weights, "cd"))))

    return text.function(text.each("add", point("residual", residual), x), point("skip", skip))


KERNELS: Mapping[str, OffloadKernel] = {
    "mm": OffloadKernel(_contraction("C(m,n) += A(m,k) * B(k,n)"), 1),
    "tmm": OffloadKernel(_contraction("C(m,n) += A(m,k) * B(n,k)"), 1),
    "2mm": OffloadKernel(_two, 2),
    "3mm": OffloadKernel(_three, 3),
    "mlp3": OffloadKernel(_mlp3, 3),
    "mv": OffloadKernel(_contraction("C(n) += A(n,k) * B(k)"), 1),
    "conv1d": OffloadKernel(_contraction("O(z,o,h) += X(z,i,h+p) * W(o,i,p)"), 1),
    "conv2d": OffloadKernel(_contraction("O(z,o,h,w) += X(z,i,h+p,w+q) * W(o,i,p,q)"), 1),
    "conv3d": OffloadKernel(_contraction("O(z,o,h,w,d) += X(z,i,h+p,w+q,d+r) * W(o,i,p,q,r)"), 1, executed=32),
    "ab-acd-dbc": OffloadKernel(_contraction("C(a,b) += A(a,c,d) * B(d,b,c)"), 1, 128),
    "abc-acd-db": OffloadKernel(_contraction("C(a,b,c) += A(a,c,d) * B(d,b)"), 1, 128),
    "abcd-aebf-dfce": OffloadKernel(_contraction("C(a,b,c,d) += A(a,e,b,f) * B(d,f,c,e)"), 1, 128, 16),
    "kronecker3": OffloadKernel(_kronecker3, 3, 128, 32),
    "lstm": OffloadKernel(_lstm, 1, 64),
    "wavenet": OffloadKernel(_wavenet, 2),
}


# graphs of products, each [size, size] x [size, size] ---------------------------------------------------------------


def _graph(needs: Sequence[Sequence[int]], size: int, kind: str) -> str:
    """Products of which each takes the results of up to two before it, by number; other factors are inputs."""
    text, made = HostText(kind), list[HostTensor]()
    for number, each in enumerate(needs):
        inputs = (text.input(f"x{number}_{place}", [size, size]) for place in range(len(each), 2))
        first, second = (*(made[need] for need in each), *inputs)
        made.append(_product(text, first, second))
    used = {need for each in needs for need in each}
    return text.function(*(value for number, value in enumerate(made) if number not in used))


def _random(count: int, before: int = 15) -> list[list[int]]:
    """So many products, of which each but the first needs one or two of the `before` that stand before it."""
    draw = random.Random(0)
    recent = [range(max(0, number - before), number) for number in range(count)]
    return [draw.sample(each, min(len(each), draw.randint(1, 2))) for each in recent]


GRAPHS: Mapping[str, OffloadKernel] = {
    "10-products": OffloadKernel(partial(_graph, [()] * 10), 10, 64),
    "300-products": OffloadKernel(partial(_graph, _random(300)), 300, 64),
}
