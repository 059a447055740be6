builtin.module {
  func.func @main(%0: tensor<1x2x40xf32> {onnx.name = "x"}) -> (tensor<1x2x3xf32> {onnx.name = "y"}) {
    %1 = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<40x3xf32>
    %2 = onnx.MatMul(%0, %1) {node = "product", tensor = "y"} : (tensor<1x2x40xf32>, tensor<40x3xf32>) -> tensor<1x2x3xf32>
    func.return %2 : tensor<1x2x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x4x2x2xf32> {onnx.name = "x"}) -> (tensor<1x4x2x2xf32> {onnx.name = "y"}) {
    %1, %2 = onnx.Split(%0) {axis = 1, split = [2, 2], node = "cut", tensors = ["a", "b"]} : (tensor<1x4x2x2xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>)
    %3 = onnx.Concat(%2, %1) {axis = 1, node = "join", tensor = "y"} : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x4x2x2xf32>
    func.return %3 : tensor<1x4x2x2xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<2x5xf32> {onnx.name = "x"}) -> (tensor<2x1xi64> {onnx.name = "y"}) {
    %1 = onnx.Reshape(%0) {node = "arg/lines", tensor = "y/lines"} : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %2 = indexed.arg(%1) {kind = "max", last = 0, node = "arg/places", tensor = "y/places"} : (tensor<2x5x1xf32>) -> tensor<2x1xi64>
    %3 = onnx.Reshape(%2) {node = "arg", tensor = "y"} : (tensor<2x1xi64>) -> tensor<2x1xi64>
    func.return %3 : tensor<2x1xi64>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3x3xf32> {onnx.name = "x"}) -> (tensor<1x2x3x3xf32> {onnx.name = "y"}) {
    %1 = onnx.Relu(%0) {node = "relu", tensor = "y"} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    func.return %1 : tensor<1x2x3x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3x3xf32> {onnx.name = "x"}) -> (tensor<1x2x3x3xf32> {onnx.name = "y"}) {
    %1 = onnx.Tanh(%0) {node = "tanh", tensor = "y"} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    func.return %1 : tensor<1x2x3x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3xf32> {onnx.name = "x"}) -> (tensor<2x3xf32> {onnx.name = "y"}) {
    %1 = onnx.Squeeze(%0) {axes = [0], node = "squeeze", tensor = "y"} : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    func.return %1 : tensor<2x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3x3xf32> {onnx.name = "x"}) -> (tensor<1x2x3x3xf32> {onnx.name = "y"}) {
    %1 = onnx.Sigmoid(%0) {node = "sigmoid", tensor = "y"} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    func.return %1 : tensor<1x2x3x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3x3xf32> {onnx.name = "x"}) -> (tensor<1x18xf32> {onnx.name = "y"}) {
    %1 = onnx.Flatten(%0) {axis = 1, node = "flatten", tensor = "y"} : (tensor<1x2x3x3xf32>) -> tensor<1x18xf32>
    func.return %1 : tensor<1x18xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<2x3xf32> {onnx.name = "x"}) -> (tensor<1x2x3xf32> {onnx.name = "y"}) {
    %1 = onnx.Unsqueeze(%0) {axes = [0], node = "unsqueeze", tensor = "y"} : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
    func.return %1 : tensor<1x2x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3xf32> {onnx.name = "x"}) -> (tensor<1x3x2xf32> {onnx.name = "y"}) {
    %1 = onnx.Transpose(%0) {perm = [0, 2, 1], node = "turn", tensor = "y"} : (tensor<1x2x3xf32>) -> tensor<1x3x2xf32>
    func.return %1 : tensor<1x3x2xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3x3xf32> {onnx.name = "x"}) -> (tensor<1x2x3x3xf32> {onnx.name = "y"}) {
    %1 = onnx.Softmax(%0) {axis = 3, node = "softmax", tensor = "y"} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    func.return %1 : tensor<1x2x3x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3x3xf32> {onnx.name = "x"}) -> (tensor<1x2x1x1xf32> {onnx.name = "y"}) {
    %1 = onnx.GlobalMaxPool(%0) {node = "globalmaxpool", tensor = "y"} : (tensor<1x2x3x3xf32>) -> tensor<1x2x1x1xf32>
    func.return %1 : tensor<1x2x1x1xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<2x5xf32> {onnx.name = "x"}) -> (tensor<2x5xf32> {onnx.name = "y"}) {
    %1 = onnx.CumSum(%0) {axis = 1, exclusive = 0, reverse = 0, node = "sums", tensor = "y"} : (tensor<2x5xf32>) -> tensor<2x5xf32>
    func.return %1 : tensor<2x5xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3x3xf32> {onnx.name = "x"}) -> (tensor<1x2x1x1xf32> {onnx.name = "y"}) {
    %1 = onnx.GlobalAveragePool(%0) {node = "globalaveragepool", tensor = "y"} : (tensor<1x2x3x3xf32>) -> tensor<1x2x1x1xf32>
    func.return %1 : tensor<1x2x1x1xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x4xf32> {onnx.name = "x"}) -> (tensor<1x4xf32> {onnx.name = "y"}) {
    %1 = onnx.Clip(%0) {min = 0.000000e+00 : f32, max = 6.000000e+00 : f32, node = "clip", tensor = "y"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    func.return %1 : tensor<1x4xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3x3xf32> {onnx.name = "x"}) -> (tensor<1x2x1x1xf32> {onnx.name = "y"}) {
    %1 = onnx.ReduceMean(%0) {axes = [2, 3], keepdims = 1, node = "mean", tensor = "y"} : (tensor<1x2x3x3xf32>) -> tensor<1x2x1x1xf32>
    func.return %1 : tensor<1x2x1x1xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3x3xf32> {onnx.name = "x"}) -> (tensor<1x2x3x3xf32> {onnx.name = "y"}) {
    %1 = onnx.LeakyRelu(%0) {alpha = 1.000000e-02 : f32, node = "leakyrelu", tensor = "y"} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
    func.return %1 : tensor<1x2x3x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x1x2x2xf32> {onnx.name = "x"}) -> (tensor<1x1x4x4xf32> {onnx.name = "y"}) {
    %1 = onnx.Pad(%0) {pads = [0, 0, 1, 1, 0, 0, 1, 1], value = 0.000000e+00 : f32, node = "pad", tensor = "y"} : (tensor<1x1x2x2xf32>) -> tensor<1x1x4x4xf32>
    func.return %1 : tensor<1x1x4x4xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3x3xf32> {onnx.name = "x"}, %1: tensor<2x1x1xf32> {onnx.name = "z"}) -> (tensor<1x2x3x3xf32> {onnx.name = "y"}) {
    %2 = onnx.Add(%0, %1) {node = "add", tensor = "y"} : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x3xf32>
    func.return %2 : tensor<1x2x3x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3x3xf32> {onnx.name = "x"}, %1: tensor<2x1x1xf32> {onnx.name = "z"}) -> (tensor<1x2x3x3xf32> {onnx.name = "y"}) {
    %2 = onnx.Sub(%0, %1) {node = "sub", tensor = "y"} : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x3xf32>
    func.return %2 : tensor<1x2x3x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3x3xf32> {onnx.name = "x"}, %1: tensor<2x1x1xf32> {onnx.name = "z"}) -> (tensor<1x2x3x3xf32> {onnx.name = "y"}) {
    %2 = onnx.Mul(%0, %1) {node = "mul", tensor = "y"} : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x3xf32>
    func.return %2 : tensor<1x2x3x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x3x3xf32> {onnx.name = "x"}, %1: tensor<2x1x1xf32> {onnx.name = "z"}) -> (tensor<1x2x3x3xf32> {onnx.name = "y"}) {
    %2 = onnx.Div(%0, %1) {node = "div", tensor = "y"} : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x3xf32>
    func.return %2 : tensor<1x2x3x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x1x4x4xf32> {onnx.name = "x"}) -> (tensor<1x1x2x2xf32> {onnx.name = "y"}) {
    %1 = onnx.MaxPool(%0) {kernel_shape = [2, 2], strides = [2, 2], dilations = [1, 1], pads = [0, 0, 0, 0], node = "pool", tensor = "y"} : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32>
    func.return %1 : tensor<1x1x2x2xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x4x2x2xf32> {onnx.name = "x"}) -> (tensor<1x4x2x2xf32> {onnx.name = "y"}) {
    %1 = onnx.LRN(%0) {size = 3, alpha = 1.000000e-04 : f32, beta = 7.500000e-01 : f32, bias = 1.000000e+00 : f32, node = "lrn", tensor = "y"} : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
    func.return %1 : tensor<1x4x2x2xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x1x4x4xf32> {onnx.name = "x"}) -> (tensor<1x1x2x2xf32> {onnx.name = "y"}) {
    %1 = onnx.AveragePool(%0) {kernel_shape = [2, 2], strides = [2, 2], dilations = [1, 1], pads = [0, 0, 0, 0], count_include_pad = 0, node = "pool", tensor = "y"} : (tensor<1x1x4x4xf32>) -> tensor<1x1x2x2xf32>
    func.return %1 : tensor<1x1x2x2xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<2x4xui8> {onnx.name = "x"}) -> (tensor<2x3xi32> {onnx.name = "y"}) {
    %1 = onnx.Constant {node = "product/weights", tensor = "product/weights", key = "product/weights"} : tensor<4x3xi8>
    %2 = integer.matmul(%0, %1) {node = "product", tensor = "y"} : (tensor<2x4xui8>, tensor<4x3xi8>) -> tensor<2x3xi32>
    func.return %2 : tensor<2x3xi32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x4x3x3xf32> {onnx.name = "x"}) -> (tensor<1x4x2x2xf32> {onnx.name = "y"}) {
    %1 = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<4x1x2x2xf32>
    %2 = onnx.Conv(%0, %1) {group = 4, kernel_shape = [2, 2], strides = [1, 1], dilations = [1, 1], pads = [0, 0, 0, 0], node = "conv", tensor = "y"} : (tensor<1x4x3x3xf32>, tensor<4x1x2x2xf32>) -> tensor<1x4x2x2xf32>
    func.return %2 : tensor<1x4x2x2xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x1x2x2xf32> {onnx.name = "x"}) -> (tensor<1x2x4x4xf32> {onnx.name = "y"}) {
    %1 = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<1x2x2x2xf32>
    %2 = onnx.ConvTranspose(%0, %1) {group = 1, kernel_shape = [2, 2], strides = [2, 2], dilations = [1, 1], pads = [0, 0, 0, 0], output_padding = [0, 0], node = "up", tensor = "y"} : (tensor<1x1x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x4x4xf32>
    func.return %2 : tensor<1x2x4x4xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x1x3x3xui8> {onnx.name = "x"}) -> (tensor<1x2x2x2xi32> {onnx.name = "y"}) {
    %1 = onnx.Constant {node = "conv/weights", tensor = "conv/weights", key = "conv/weights"} : tensor<2x1x2x2xi8>
    %2 = integer.conv(%0, %1) {group = 1, fill = 0, kernel_shape = [2, 2], strides = [1, 1], dilations = [1, 1], pads = [0, 0, 0, 0], node = "conv", tensor = "y"} : (tensor<1x1x3x3xui8>, tensor<2x1x2x2xi8>) -> tensor<1x2x2x2xi32>
    func.return %2 : tensor<1x2x2x2xi32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x4xf32> {onnx.name = "x"}) -> (tensor<1x3xf32> {onnx.name = "y"}) {
    %1 = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<3x4xf32>
    %2 = onnx.Constant {node = "b", tensor = "b", key = "b"} : tensor<3xf32>
    %3 = onnx.Gemm(%0, %1, %2) {alpha = 1.000000e+00 : f32, beta = 1.000000e+00 : f32, transA = 0, transB = 1, node = "fc", tensor = "y"} : (tensor<1x4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<1x3xf32>
    func.return %3 : tensor<1x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<4xi64> {onnx.name = "x"}) -> (tensor<4x3xf32> {onnx.name = "y"}) {
    %1 = onnx.Constant {node = "t", tensor = "t", key = "t"} : tensor<5x3xf32>
    %2 = onnx.Reshape(%1) {node = "look_up/lines", tensor = "y/lines"} : (tensor<5x3xf32>) -> tensor<1x5x3xf32>
    %3 = indexed.gather(%2, %0) {node = "look_up/gathered", tensor = "y/gathered"} : (tensor<1x5x3xf32>, tensor<4xi64>) -> tensor<1x4x3xf32>
    %4 = onnx.Reshape(%3) {node = "look_up", tensor = "y"} : (tensor<1x4x3xf32>) -> tensor<4x3xf32>
    func.return %4 : tensor<4x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<2x5xf32> {onnx.name = "x"}) -> (tensor<2x3xf32> {onnx.name = "v"}, tensor<2x3xi64> {onnx.name = "i"}) {
    %1 = onnx.Reshape(%0) {node = "top/lines", tensor = "v/lines"} : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %2, %3 = indexed.topk(%1) {largest = 1, node = "top/sorted", tensors = ["v/sorted", "i/sorted"]} : (tensor<2x5x1xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x1xi64>)
    %4 = onnx.Reshape(%2) {node = "top", tensor = "v"} : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
    %5 = onnx.Reshape(%3) {node = "top/places", tensor = "i/places"} : (tensor<2x3x1xi64>) -> tensor<2x3xi64>
    func.return %4, %5 : tensor<2x3xf32>, tensor<2x3xi64>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<1x2x2x2xf32> {onnx.name = "x"}) -> (tensor<1x2x2x2xf32> {onnx.name = "y"}) {
    %1 = onnx.Constant {node = "s", tensor = "s", key = "s"} : tensor<2xf32>
    %2 = onnx.Constant {node = "b", tensor = "b", key = "b"} : tensor<2xf32>
    %3 = onnx.Constant {node = "m", tensor = "m", key = "m"} : tensor<2xf32>
    %4 = onnx.Constant {node = "v", tensor = "v", key = "v"} : tensor<2xf32>
    %5 = onnx.BatchNormalization(%0, %1, %2, %3, %4) {epsilon = 1.000000e-05 : f32, node = "norm", tensor = "y"} : (tensor<1x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
    func.return %5 : tensor<1x2x2x2xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<3x4xf32> {onnx.name = "x"}) -> (tensor<3x4xf32> {onnx.name = "y"}) {
    %1 = onnx.Constant {node = "s", tensor = "s", key = "s"} : tensor<4xf32>
    %2 = nest.generic(%0, %1) {sizes = [3, 4], iterators = ["parallel", "parallel"], maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], body = [{fn = "constant", type = f32, value = 0.000000e+00 : f64}, {fn = "lt", type = i1, args = array<i64: 0, 2>}, {fn = "mul", type = f32, args = array<i64: 1, 0>}, {fn = "select", type = f32, args = array<i64: 3, 4, 0>}], node = "prelu", tensor = "y"} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    func.return %2 : tensor<3x4xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<3x1x4xf32> {onnx.name = "x"}) -> (tensor<3x1x1x2xf32> {onnx.name = "y"}) {
    %1 = onnx.Constant {node = "w/forward", tensor = "w/forward", key = "w/forward"} : tensor<4x2xf32>
    %2 = onnx.MatMul(%0, %1) {node = "rnn/inputs_forward", tensor = "y/inputs_forward"} : (tensor<3x1x4xf32>, tensor<4x2xf32>) -> tensor<3x1x2xf32>
    %3 = onnx.Constant {node = "r", tensor = "r", key = "r"} : tensor<1x2x2xf32>
    %4 = onnx.Recurrent(%2, %3) {cell = "rnn", roles = ["x", "r"], directions = ["forward"], bodies = [[{fn = "tanh", type = f32, args = array<i64: 0>}]], node = "rnn", tensors = ["y"]} : (tensor<3x1x2xf32>, tensor<1x2x2xf32>) -> tensor<3x1x1x2xf32>
    func.return %4 : tensor<3x1x1x2xf32>
  }
}
// -----
builtin.module {
  func.func @main(%0: tensor<5x3xf32> {onnx.name = "x"}, %1: tensor<2x3xf32> {onnx.name = "u"}) -> (tensor<5x3xf32> {onnx.name = "y"}) {
    %2 = onnx.Constant {node = "i", tensor = "i", key = "i"} : tensor<2x1xi64>
    %3 = onnx.Reshape(%0) {node = "put/lines", tensor = "y/lines"} : (tensor<5x3xf32>) -> tensor<1x5x3xf32>
    %4 = onnx.Reshape(%2) {node = "put/vectors", tensor = "y/vectors"} : (tensor<2x1xi64>) -> tensor<2xi64>
    %5 = onnx.Reshape(%1) {node = "put/updates", tensor = "y/updates"} : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
    %6 = indexed.put(%3, %4, %5) {combine = "assign", node = "put/put", tensor = "y/put"} : (tensor<1x5x3xf32>, tensor<2xi64>, tensor<1x2x3xf32>) -> tensor<1x5x3xf32>
    %7 = onnx.Reshape(%6) {node = "put", tensor = "y"} : (tensor<1x5x3xf32>) -> tensor<5x3xf32>
    func.return %7 : tensor<5x3xf32>
  }
}
// -----
builtin.module {
  func.func @main(%x: tensor<1x4xf32> {onnx.name = "x"}) -> (tensor<1x4xf32> {onnx.name = "y"}) {
    %a = onnx.Identity(%x) {node = "same", tensor = "a"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %y = onnx.Dropout(%a) {node = "drop", tensor = "y"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    func.return %y : tensor<1x4xf32>
  }
}
