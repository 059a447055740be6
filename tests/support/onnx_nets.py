"""Small ONNX networks for tests: built op by op, or drawn at random by hypothesis."""

import numpy as np
from hypothesis import strategies as st
from onnx import TensorProto, checker, helper, numpy_helper, shape_inference

OPSET = 17
MOST_FEATURES = 128  # of a classifier


class Net:
    """Builds a network node by node; `shape` follows onnx's rules for the operators used."""

    def __init__(self, shape, seed=0):
        self.rng = np.random.default_rng(seed)
        self.input = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
        self.nodes, self.initializers = [], []
        self.serial = 0

    def weights(self, *shape, scale=None):
        fan_in = int(np.prod(shape[1:])) or 1
        array = self.rng.standard_normal(shape) * (scale if scale is not None else 1 / np.sqrt(fan_in))
        return self.constant(array.astype(np.float32))

    def constant(self, array):
        name = f"w{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def add(self, kind, *inputs, **attributes):
        self.serial += 1
        name = f"{kind.lower()}{self.serial}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def conv(self, x, channels, filters, kernel, group=1, bias=True, **attributes):
        inputs = [x, self.weights(filters, channels // group, *kernel)]
        if bias:
            inputs.append(self.weights(filters, scale=0.3))
        return self.add("Conv", *inputs, kernel_shape=list(kernel), group=group, **attributes)

    def model(self, *outputs):
        """The checked model; output shapes are inferred."""
        infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "net", [self.input], infos, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        model = shape_inference.infer_shapes(model)
        checker.check_model(model)
        return model


def window_size(size, kernel, stride, low, high, dilation=1):
    return (size + low + high - (kernel - 1) * dilation - 1) // stride + 1


@st.composite
def conv_nets(draw, highest=9):
    """Random networks of convolutions, pools, activations, residual additions, concatenations and a classifier."""
    channels, height, width = draw(st.integers(1, 9)), draw(st.integers(3, highest)), draw(st.integers(3, 9))
    net = Net([1, channels, height, width], draw(st.integers(0, 1000)))
    x = "x"
    for _ in range(draw(st.integers(1, 5))):
        x, channels, height, width = draw(st.sampled_from(STEPS))(draw, net, x, channels, height, width)
    return net.model(draw(st.sampled_from(ENDS))(draw, net, x, channels, height, width))


def _window(draw, height, width, limit=3):
    kernel = [draw(st.integers(1, min(limit, height))), draw(st.integers(1, min(limit, width)))]
    strides = [draw(st.integers(1, 2)), draw(st.integers(1, 2))]
    pads = [draw(st.integers(0, kernel[0] - 1)), draw(st.integers(0, kernel[1] - 1))]
    pads += [draw(st.integers(0, kernel[0] - 1)), draw(st.integers(0, kernel[1] - 1))]
    out = [window_size(size, kernel[k], strides[k], pads[k], pads[k + 2]) for k, size in enumerate((height, width))]
    return {"kernel_shape": kernel, "strides": strides, "pads": pads}, out


def _conv(draw, net, x, channels, height, width):
    window, out = _window(draw, height, width)
    group = draw(st.sampled_from([g for g in range(1, channels + 1) if channels % g == 0]))
    filters = group * draw(st.integers(1, 10 if group == 1 else 3))
    kernel = window.pop("kernel_shape")
    y = net.conv(x, channels, filters, kernel, group, draw(st.booleans()), **window)
    return _activate(draw, net, y), filters, *out


def _dilated(draw, net, x, channels, height, width):
    if min(height, width) < 3:
        return x, channels, height, width
    y = net.conv(x, channels, 5, (2, 2), dilations=[2, 2])
    return _activate(draw, net, y), 5, height - 2, width - 2


def _activate(draw, net, x):
    kind = draw(st.sampled_from([None, "Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip"]))
    if kind is None:
        return x
    if kind == "Clip":
        bounds = [net.constant(np.float32(value)) for value in (-0.5, 0.75)]
        return net.add("Clip", x, *bounds)
    return net.add(kind, x, **({"alpha": 0.2} if kind == "LeakyRelu" else {}))


def _pool(draw, net, x, channels, height, width):
    window, out = _window(draw, height, width)
    kind = draw(st.sampled_from(["MaxPool", "AveragePool"]))
    extra = {"count_include_pad": draw(st.integers(0, 1))} if kind == "AveragePool" else {}
    return net.add(kind, x, **window, **extra), channels, *out


def _residual(draw, net, x, channels, height, width):
    y = net.conv(x, channels, channels, (3, 3), pads=[1, 1, 1, 1])
    pair = (x, y) if draw(st.booleans()) else (y, x)
    return _activate(draw, net, net.add(draw(st.sampled_from(["Add", "Sub", "Mul"])), *pair)), channels, height, width


def _inception(draw, net, x, channels, height, width):
    filters = [draw(st.integers(1, 7)) for _ in range(draw(st.integers(1, 3)))]
    branches = [net.add("Relu", net.conv(x, channels, count, (1, 1))) for count in filters]
    if draw(st.booleans()):
        branches.append(x)
        filters.append(channels)
    return net.add("Concat", *branches, axis=1), sum(filters), height, width


def _constant(draw, net, x, channels, height, width):
    shape = draw(st.sampled_from([(1,), (channels, 1, 1), (1, channels, height, width), (height, 1), (width,)]))
    array = (net.rng.random(shape) + 0.5).astype(np.float32)
    pair = (x, net.constant(array))
    if draw(st.booleans()):
        pair = pair[::-1]
    kind = draw(st.sampled_from(["Add", "Mul", "Sub"]))
    return net.add(kind, *pair), channels, height, width


def _scale(draw, net, x, channels, height, width):
    """Squeeze and excite: the image's mean per channel scales it."""
    gate = net.add("Sigmoid", net.conv(net.add("GlobalAveragePool", x), channels, channels, (1, 1)))
    return net.add("Mul", x, gate), channels, height, width


def _lrn(draw, net, x, channels, height, width):
    size = draw(st.sampled_from([1, 3, 5]))
    return net.add("LRN", x, size=size, alpha=0.3, beta=0.75, bias=1.5), channels, height, width


def _batch_norm(draw, net, x, channels, height, width):
    stats = [net.constant((net.rng.random(channels) + 0.5).astype(np.float32)) for _ in range(4)]
    return net.add("BatchNormalization", x, *stats), channels, height, width


def _bottleneck(draw, net, x, channels, height, width):
    """Expand, convolve in groups, project: the chain that placement keeps together."""
    group, per_group, filters = draw(st.integers(1, 12)), draw(st.integers(1, 3)), draw(st.integers(1, 9))
    multiplier = draw(st.integers(1, 3))
    y = _activate(draw, net, net.conv(x, channels, group * per_group, (1, 1)))
    window, out = _window(draw, height, width)
    kernel = window.pop("kernel_shape")
    y = net.conv(y, group * per_group, group * multiplier, kernel, group, draw(st.booleans()), **window)
    y = _activate(draw, net, y)
    z = net.conv(y, group * multiplier, filters, (1, 1))
    if draw(st.booleans()):  # another user of the channels in the middle
        z = net.add("Add", z, net.conv(y, group * multiplier, filters, (1, 1)))
    return z, filters, *out


STEPS = [_conv, _conv, _bottleneck, _dilated, _pool, _residual, _inception, _constant, _scale, _lrn, _batch_norm]


def _classifier(draw, net, x, channels, height, width):
    """Of all pixels; of their means where they are many: a wide product on small crossbars is thousands of tiles."""
    if channels * height * width > MOST_FEATURES:
        x, height, width = net.add("GlobalAveragePool", x), 1, 1
    flat = net.add("Flatten", x)
    y = net.add("Gemm", flat, net.weights(channels * height * width, 7), net.weights(7, scale=0.3))
    y = net.add("Relu", y)
    y = net.add("Gemm", y, net.weights(5, 7), net.weights(5, scale=0.3), transB=1)
    return net.add("Softmax", y, axis=1) if draw(st.booleans()) else y


def _plain(draw, net, x, channels, height, width):
    return x if x != "x" else net.add("Relu", x)


def _mean(draw, net, x, channels, height, width):
    return net.add("ReduceMean", x, axes=[2, 3], keepdims=draw(st.integers(0, 1)))


def _tokens(draw, net, x, channels, height, width):
    """Pixels become tokens: reshape, transpose, product with constant weights, softmax."""
    shape = net.constant(np.array([1, channels, height * width], np.int64))
    tokens = net.add("Transpose", net.add("Reshape", x, shape), perm=[0, 2, 1])
    return net.add("Softmax", net.add("MatMul", tokens, net.weights(channels, 6)), axis=-1)


def _split_channels(draw, net, x, channels, height, width):
    """A reshape that splits the channels: a strided copy."""
    shape = net.constant(np.array([1, height, channels, width], np.int64))
    return net.add("Relu", net.add("Reshape", x, shape))


ENDS = [_classifier, _plain, _mean, _tokens, _split_channels]
