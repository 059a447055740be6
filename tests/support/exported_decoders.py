"""Decoders whose caches grow by Concat, in the style of several exporters."""

import numpy as np
from exported_graphs import HEADS, LOWEST, MOST, SIZE, VOCABULARY, WIDTH, Decoder, Graph, bits, caches, ids_of
from onnx import TensorProto, helper, numpy_helper


def gpt2(batch=1, tokens=1, layers=2):
    """GPT-2: a buffer with the causal mask is sliced, positions are counted from the past, a mask of padding."""
    g = Graph()
    g.input("input_ids", TensorProto.INT64, ["batch_size", "sequence_length"])
    g.input("attention_mask", TensorProto.INT64, ["batch_size", "past_sequence_length + 1"])
    states, first = caches(g, layers, batch, total="past_sequence_length + 1")
    g.output("logits", TensorProto.FLOAT, ["batch_size", "sequence_length", VOCABULARY])
    past = g.size("past_key_values.0.key", 2)
    count = g.size("input_ids", 1)
    positions = g("Unsqueeze", g("Range", past, g("Add", past, count), 1), [0])
    x = g("Add", g("Gather", g.weight(VOCABULARY, SIZE), "input_ids"), g("Gather", g.weight(MOST, SIZE), positions))
    padding = g("Cast", g("Unsqueeze", "attention_mask", [1, 2]), kind=TensorProto.FLOAT)
    padding = g("Mul", g("Sub", 1.0, padding), LOWEST)
    buffer = np.tril(np.ones((1, 1, MOST, MOST), np.bool_))
    for layer in range(layers):
        q, k, v = g("Split", g.linear(g.norm(x), 3 * SIZE), [SIZE] * 3, outputs=3, axis=2)
        q, k, v = g.heads(q), g.heads(k), g.heads(v)
        k = g("Concat", f"past_key_values.{layer}.key", k, to=f"present.{layer}.key", axis=-2)
        v = g("Concat", f"past_key_values.{layer}.value", v, to=f"present.{layer}.value", axis=-2)
        scores = g("MatMul", q, g("Transpose", k, perm=[0, 1, 3, 2]))
        root = g("Sqrt", g("Cast", g.size(v, -1), kind=TensorProto.FLOAT))
        scores = g("Div", scores, root)
        keys, queries = g.size(k, -2), g.size(q, -2)
        begin, end = g("Unsqueeze", g("Sub", keys, queries), [0]), g("Unsqueeze", keys, [0])
        rows = g("Slice", buffer, begin, end, [2], [1])
        causal = g("Slice", rows, [0], end, [3], [1])
        scores = g("Add", g("Where", causal, scores, LOWEST), padding)
        out = g.together(g("MatMul", g("Softmax", scores, axis=-1), v))
        x = g("Add", x, g.linear(out))
    g("MatMul", g.norm(x), g.weight(SIZE, VOCABULARY), to="logits")
    masks = {"attention_mask": lambda *args: bits(*args, batch)}
    return Decoder(g.model(), states, {"input_ids": (batch, tokens)}, first, ids_of(batch, tokens), masks, tokens)


def rotated(g, x, cos, sin):
    low, high = g("Slice", x, [0], [WIDTH // 2], [3]), g("Slice", x, [WIDTH // 2], [2**63 - 1], [3])
    turned = g("Concat", g("Neg", high), low, axis=-1)
    return g("Add", g("Mul", x, cos), g("Mul", turned, sin))


def llama(batch=1, tokens=1, layers=2, mask="additive", positions="past", groups=2):
    """Llama: rotary positions, keys and values shared by groups of heads; `mask` additive, padding, or none.

    `positions`: "past" counts from the caches, "input" is an input, "table" takes rows of sliced buffers.
    """
    g = Graph(1)
    heads, size = HEADS * groups, HEADS * groups * WIDTH
    g.input("input_ids", TensorProto.INT64, ["batch_size", "sequence_length"])
    if mask == "additive":
        g.input("mask", TensorProto.FLOAT, ["batch_size", 1, "sequence_length", "total_sequence_length"])
    elif mask == "padding":
        g.input("attention_mask", TensorProto.INT64, ["batch_size", "total_sequence_length"])
    states, first = caches(g, layers, batch)
    g.output("logits", TensorProto.FLOAT, ["batch_size", "sequence_length", VOCABULARY])
    past, count = g.size("past_key_values.0.key", 2), g.size("input_ids", 1)
    total = g("Add", past, count)
    places = g("Range", past, total, 1)
    ids = g("Unsqueeze", places, [0])
    if positions in ("input", "table"):
        ids = g.input("position_ids", TensorProto.INT64, ["batch_size", "sequence_length"])
    rates = (10000 ** (-np.arange(0, WIDTH, 2) / WIDTH)).astype(np.float32)
    if positions == "table":
        angles = np.outer(np.arange(MOST), np.concatenate([rates, rates])).astype(np.float32)
        tables = [g("Slice", f(angles), [0], g("Unsqueeze", total, [0]), [0]) for f in (np.cos, np.sin)]
        cos, sin = (g("Unsqueeze", g("Gather", table, ids), [1]) for table in tables)
    else:
        column = g("Cast", g("Unsqueeze", ids, [1]), kind=TensorProto.FLOAT)
        angles = g("Transpose", g("MatMul", rates.reshape(1, -1, 1), column), perm=[0, 2, 1])
        angles = g("Unsqueeze", g("Concat", angles, angles, axis=-1), [1])
        cos, sin = g("Cos", angles), g("Sin", angles)
    bias = "mask" if mask == "additive" else causal_mask(g, places, total, mask == "padding", batch)
    x = g("Gather", g.weight(VOCABULARY, size), "input_ids")
    for layer in range(layers):
        scaled = g("Div", x, g("Sqrt", g("Add", g("ReduceMean", g("Pow", x, 2.0), axes=[-1]), 1e-6)))
        q = rotated(g, g.heads(g.linear(scaled, size, size), heads), cos, sin)
        k = rotated(g, g.heads(g.linear(scaled, SIZE, size)), cos, sin)
        v = g.heads(g.linear(scaled, SIZE, size))
        k = g("Concat", f"past_key_values.{layer}.key", k, to=f"present.{layer}.key", axis=-2)
        v = g("Concat", f"past_key_values.{layer}.value", v, to=f"present.{layer}.value", axis=-2)
        k, v = shared(g, k, groups), shared(g, v, groups)
        root = float(np.sqrt(np.sqrt(1 / WIDTH)))
        scores = g("MatMul", g("Mul", q, root), g("Mul", g("Transpose", k, perm=[0, 1, 3, 2]), root))
        weights = g("Softmax", g("Add", scores, bias), axis=-1)
        weights = g("Where", g("IsNaN", weights), 0.0, weights)
        x = g("Add", x, g.linear(g.together(g("MatMul", weights, v), size), size, size))
    g("MatMul", x, g.weight(size, VOCABULARY), to="logits")

    def feed(rng, step):
        given = ids_of(batch, tokens)(rng, step)
        if positions != "past":
            given["position_ids"] = np.tile(np.arange(tokens) + step * tokens, (batch, 1))
        return given

    def additive(rng, room, step, count):
        full = np.where(rng.random((batch, 1, count, room)) < 0.3, LOWEST, 0).astype(np.float32)
        full[..., 0] = 0
        full[..., count * (step + 1) :] = np.nan
        return full

    masks = {"additive": {"mask": additive}, "padding": {"attention_mask": lambda *args: bits(*args, batch)}}
    given = {"input_ids": (batch, tokens)}
    return Decoder(g.model(), states, given, first, feed, masks.get(mask, {}), tokens)


def shared(g, x, groups):
    """Each head of keys or values for a group of heads of queries."""
    batch, heads, total, width = (g.size(x, axis) for axis in range(4))
    wide = g("Expand", g("Unsqueeze", x, [2]), g.list(batch, heads, groups, total, width))
    return g("Reshape", wide, g.list(batch, g("Mul", heads, groups), total, width))


def causal_mask(g, places, total, padded, batch):
    """Later tokens, and padding if there is some, as a sum; assigned to a whole mask, as exporters write it."""
    keys = g("Range", 0, total, 1)
    later = g("Greater", g("Unsqueeze", keys, [0]), g("Unsqueeze", places, [1]))
    bias = g("Unsqueeze", g("Mul", g("Cast", later, kind=TensorProto.FLOAT), LOWEST), [0, 1])
    if not padded:
        return bias
    count = g.size(places, 0)
    bias = g("Expand", bias, g.list(batch, 1, count, total))
    absent = g("Equal", g("Cast", g("Unsqueeze", "attention_mask", [1, 2]), kind=TensorProto.FLOAT), 0.0)
    visible = g("Equal", bias, 0.0)
    new = g("Where", g("And", absent, visible), LOWEST, bias)
    shape = g.list(batch, 1, count, total)
    ranges = [g("Range", 0, size, 1) for size in (batch, 1, count, total)]
    spread = []
    for axis, numbers in enumerate(ranges):
        column = g("Unsqueeze", numbers, [k for k in range(4) if k != axis])
        spread.append(g("Unsqueeze", g("Expand", column, shape), [4]))
    return g("ScatterND", bias, g("Concat", *spread, axis=-1), new)


def t5(batch=1, tokens=1):
    """T5: a bias by buckets of relative positions, of which the last rows are taken, and attention to an encoder."""
    g = Graph(2)
    g.input("input_ids", TensorProto.INT64, ["batch_size", "sequence_length"])
    g.input("encoded", TensorProto.FLOAT, ["batch_size", 3, SIZE])
    states, first = caches(g, 1, batch, past="past_decoder_sequence_length", total="present_length")
    g.output("logits", TensorProto.FLOAT, ["batch_size", "sequence_length", VOCABULARY])
    x = g("Gather", g.weight(VOCABULARY, SIZE), "input_ids")
    q, k, v = (g.heads(g.linear(x)) for _ in range(3))
    k = g("Concat", "past_key_values.0.key", k, to="present.0.key", axis=2)
    v = g("Concat", "past_key_values.0.value", v, to="present.0.value", axis=2)
    total = g.size(k, 2)
    rows, columns = (g("Unsqueeze", g("Range", 0, total, 1), [axis]) for axis in (1, 0))
    back = g("Neg", g("Min", g("Sub", columns, rows), g("ConstantOfShape", g("Shape", g("Sub", columns, rows)),
             value=numpy_helper.from_array(np.zeros(1, np.int64)))))  # fmt: skip
    real = g("Cast", back, kind=TensorProto.FLOAT)
    large = g("Add", 4, g("Cast", g("Mul", g("Log", g("Div", real, 4.0)), 1.5), kind=TensorProto.INT64))
    large = g("Min", large, 7)
    bucket = g("Where", g("Less", back, 4), back, large)
    bias = g("Unsqueeze", g("Transpose", g("Gather", g.weight(8, HEADS), bucket), perm=[2, 0, 1]), [0])
    begin = g("Unsqueeze", g("Neg", g.size("input_ids", 1)), [0])
    bias = g("Slice", bias, begin, [2**63 - 1], [2])
    scores = g("Add", g("MatMul", q, g("Transpose", k, perm=[0, 1, 3, 2])), bias)
    if tokens > 1:
        scores = g("Add", scores, causal_mask(g, g("Range", g("Sub", total, tokens), total, 1), total, False, batch))
    x = g("Add", x, g.linear(g.together(g("MatMul", g("Softmax", scores, axis=-1), v))))
    q, k, v = g.heads(g.linear(x)), g.heads(g.linear("encoded")), g.heads(g.linear("encoded"))
    weights = g("Softmax", g("MatMul", q, g("Transpose", k, perm=[0, 1, 3, 2])), axis=-1)
    x = g("Add", x, g.linear(g.together(g("MatMul", weights, v))))
    g("MatMul", x, g.weight(SIZE, VOCABULARY), to="logits")

    def feed(rng, step):
        encoded = np.random.default_rng(7).standard_normal((batch, 3, SIZE)).astype(np.float32)
        return ids_of(batch, tokens)(rng, step) | {"encoded": encoded}

    return Decoder(g.model(), states, {"input_ids": (batch, tokens)}, first, feed, {}, tokens)


def stacked(batch=2, tokens=1):
    """Older GPT-2: keys and values are one tensor [2, batch, heads, tokens, width]."""
    g = Graph(3)
    g.input("input_ids", TensorProto.INT64, ["batch", "seq"])
    g.input("past_0", TensorProto.FLOAT, [2, "batch", HEADS, "past_len", WIDTH])
    g.output("present_0", TensorProto.FLOAT, [2, "batch", HEADS, "total_len", WIDTH])
    g.output("logits", TensorProto.FLOAT, ["batch", "seq", VOCABULARY])
    x = g("Gather", g.weight(VOCABULARY, SIZE), "input_ids")
    old_k, old_v = (g("Squeeze", part, [0]) for part in g("Split", "past_0", [1, 1], outputs=2, axis=0))
    q, k, v = (g.heads(g.linear(x)) for _ in range(3))
    k, v = g("Concat", old_k, k, axis=-2), g("Concat", old_v, v, axis=-2)
    g("Concat", g("Unsqueeze", k, [0]), g("Unsqueeze", v, [0]), to="present_0", axis=0)
    scores = g("MatMul", q, g("Transpose", k, perm=[0, 1, 3, 2]))
    x = g("Add", x, g.linear(g.together(g("MatMul", g("Softmax", scores, axis=-1), v))))
    g("MatMul", x, g.weight(SIZE, VOCABULARY), to="logits")
    first = {"past_0": np.zeros((2, batch, HEADS, 0, WIDTH), np.float32)}
    return Decoder(g.model(), {"past_0": "present_0"}, {"input_ids": (batch, tokens)}, first, ids_of(batch, tokens),
                   {}, tokens)  # fmt: skip


def bloom(batch=2, tokens=1):
    """Bloom and OPT: keys stand as columns, slopes and positions are counted along the mask at run time."""
    g = Graph(4)
    g.input("input_ids", TensorProto.INT64, ["batch", "seq"])
    g.input("attention_mask", TensorProto.INT64, ["batch", "total"])
    g.input("past_k", TensorProto.FLOAT, [batch * HEADS, WIDTH, "past"])
    g.input("past_v", TensorProto.FLOAT, [batch * HEADS, "past", WIDTH])
    g.output("present_k", TensorProto.FLOAT, [batch * HEADS, WIDTH, "total"])
    g.output("present_v", TensorProto.FLOAT, [batch * HEADS, "total", WIDTH])
    g.output("logits", TensorProto.FLOAT, ["batch", "seq", VOCABULARY])
    counted = g("Sub", g("Mul", g("CumSum", "attention_mask", 1), "attention_mask"), 1)
    new = g("Slice", counted, g("Unsqueeze", g.size("past_k", 2), [0]), [2**63 - 1], [1])
    table = g.weight(MOST + 2, SIZE)
    x = g("Add", g("Gather", g.weight(VOCABULARY, SIZE), "input_ids"), g("Gather", table, g("Add", new, 2)))
    slopes = np.array([0.25, 0.0625], np.float32).reshape(1, HEADS, 1)
    alibi = g("Mul", slopes, g("Unsqueeze", g("Cast", counted, kind=TensorProto.FLOAT), [1]))
    alibi = g("Reshape", alibi, g.list(batch * HEADS, 1, g.size("attention_mask", 1)))
    flat = [g("Reshape", g.heads(g.linear(x)), [batch * HEADS, -1, WIDTH]) for _ in range(3)]
    k = g("Concat", "past_k", g("Transpose", flat[1], perm=[0, 2, 1]), to="present_k", axis=2)
    v = g("Concat", "past_v", flat[2], to="present_v", axis=1)
    scores = g("Add", g("Mul", g("MatMul", flat[0], k), 0.5), alibi)
    scores = g("Reshape", scores, g.list(batch, HEADS, tokens, g.size(v, 1)))
    hidden = g("Equal", g("Unsqueeze", "attention_mask", [1, 2]), 0)
    wide = g("Expand", hidden, g("Shape", scores))
    weights = g("Softmax", g("Where", wide, LOWEST, scores), axis=-1)
    weights = g("Reshape", weights, g("Concat", [batch * HEADS], [tokens], [-1], axis=0))
    out = g("Reshape", g("MatMul", weights, v), [batch, HEADS, tokens, WIDTH])
    g("MatMul", g("Add", x, g.together(out)), g.weight(SIZE, VOCABULARY), to="logits")
    first = {"past_k": np.zeros((batch * HEADS, WIDTH, 0), np.float32),
             "past_v": np.zeros((batch * HEADS, 0, WIDTH), np.float32)}  # fmt: skip
    states = {"past_k": "present_k", "past_v": "present_v"}
    masks = {"attention_mask": lambda *args: bits(*args, batch)}
    return Decoder(g.model(), states, {"input_ids": (batch, tokens)}, first, ids_of(batch, tokens), masks, tokens)


def memory(*made, tokens=1, batch=1, opset=18):
    """A cache of [batch, past, WIDTH] that `made` (functions of graph, longer cache and query) make outputs of."""
    g = Graph(5)
    g.input("x", TensorProto.FLOAT, [batch, tokens, WIDTH])
    g.input("past", TensorProto.FLOAT, [batch, "past", WIDTH])
    g.output("present", TensorProto.FLOAT, [batch, "total", WIDTH])
    cache = g("Concat", "past", "x", to="present", axis=1)
    for index, make in enumerate(made):
        result = make(g, cache, "x")
        g("Identity", result, to=f"y{index}")
        g.outputs.append(helper.make_empty_tensor_value_info(f"y{index}"))

    def feed(rng, _):
        return {"x": rng.standard_normal((batch, tokens, WIDTH)).astype(np.float32)}

    first = {"past": np.zeros((batch, 0, WIDTH), np.float32)}
    return Decoder(g.model(opset), {"past": "present"}, {}, first, feed, {}, tokens)
