"""Networks of matrices that are placed, and what the cores of their pieces hold and do."""

from collections import Counter

from hypothesis import strategies as st

from compiler.mapping.tiling.matrix import FilterMatrix


def layer(number, channels=16, filters=16, pixels=10, kernel=(1, 1)):
    """A matrix on crossbars of 16 x 16."""
    return FilterMatrix(f"m{number}", channels, filters, kernel, pixels, 16, 16, "dense")


@st.composite
def networks(draw, kernels=((1, 1),)):
    """Matrices, and for each those before it that feed it."""
    sizes = st.tuples(st.integers(1, 80), st.integers(1, 80), st.integers(1, 200), st.sampled_from(kernels))
    drawn = draw(st.lists(sizes, min_size=1, max_size=8))
    matrices = [layer(number, *each) for number, each in enumerate(drawn)]
    feeds = {
        number: frozenset(draw(st.sets(st.integers(0, number - 1), max_size=3)) if number else ())
        for number in range(len(matrices))
    }
    return matrices, feeds


def loads(matrices, pieces):
    """Products and crossbars of each core."""
    work, crossbars = Counter(), Counter()
    for piece in pieces:
        work[piece.core] += piece.crossbars * matrices[piece.matrix].pixels
        crossbars[piece.core] += piece.crossbars
    return work, crossbars


def rectangles(pieces):
    """The rectangles of each matrix, wherever they are."""
    return Counter((piece.matrix, piece.rows, piece.cols) for piece in pieces)
