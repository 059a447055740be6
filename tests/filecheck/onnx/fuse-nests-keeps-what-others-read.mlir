// RUN: emu opt %s -p fuse-nests | filecheck %s
// WEIGHTS: w = "2x2x1x1"

func.func @main(%x: tensor<1x2x3x3xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) {
  %w = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<2x2x1x1xf32>
  %c = onnx.Conv(%x, %w) {node = "conv", tensor = "c", kernel_shape = [1, 1], strides = [1, 1], dilations = [1, 1], pads = [0, 0, 0, 0], group = 1} : (tensor<1x2x3x3xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x3x3xf32>
  %r = onnx.Relu(%c) {node = "relu", tensor = "r"} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %s = onnx.Add(%r, %x) {node = "sum", tensor = "s"} : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %m = onnx.Mul(%s, %x) {node = "product", tensor = "m"} : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  func.return %s, %m : tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>
}
// The product takes in the activation behind it, and an output of the network is made as it is.
// CHECK: onnx.Conv
// CHECK-NEXT: onnx.Relu
// CHECK-NEXT: onnx.Add
// CHECK-NEXT: onnx.Mul
