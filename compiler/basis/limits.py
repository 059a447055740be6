"""Budgets: what a network may ask of the compiler; what exceeds one is refused in a sentence, before memory is taken.

Networks in practice stay far below them. They exist because a small file can stand for a huge network: functions that
call functions, joins of joins, constants that are only described.
"""

MAX_STRUCTURE = 1 << 29  # bytes of a model without its large weights; real ones have well below a megabyte
MAX_FIELDS = 1 << 19  # fields of its messages: some hundred bytes in memory each, but as few as two in a file
MAX_NODES = 50_000  # after local functions were expanded
MAX_OPERANDS = 50_000  # inputs of all nodes
MAX_CALL_DEPTH = 100  # functions that call functions

MAX_RANK = 64  # dimensions of a tensor; NumPy's own limit
MAX_ELEMENTS = 1 << 31  # of one tensor
MAX_DIMENSION = 1 << 24  # of a tensor that is computed
MAX_SIZE = 1 << 20  # of a kernel, stride, dilation or pad

MAX_AXIS_WEIGHTS = 1 << 26  # of the product that makes an axis of another length, in Resize
MAX_FOLDED_NODES = 5_000  # nodes that are evaluated at compile time
MAX_FOLDED = 1 << 26  # bytes of what they make in all, besides `FOLDED_PER_STORED` for each byte of the initialisers
FOLDED_PER_STORED = 4
MAX_DESCRIBED = (
    1 << 30
)  # bytes of constants that a shape and one number stand for (ConstantOfShape), and of sparse tensors, in all
MAX_FOLDING_WORK = 1 << 36  # multiplications of constant matrices and convolutions, in all

MAX_TILES = 1 << 15  # channel tiles of one tensor
MAX_OPERATIONS = 60_000  # of the modules that the stages make: a large network on 1024 cores has some ten thousand
MAX_PIXELS = 10_000  # of all products, with --lowering pixel: each is a value with a buffer of its own
MAX_STEPS = 500_000  # times that a compute makes N rows, with --granularity rows:N; ten thousand are usual
MAX_INSTRUCTIONS = 2_000_000  # of all programs
