// RUN: emu opt %s -p lower-onnx-to-spat | filecheck %s
// WEIGHTS: w = [[[[1]]], [[[2]]]]

func.func @main(%x: tensor<1x2x2x2xf32> {onnx.name = "x"}) -> (tensor<1x2x2x2xf32> {onnx.name = "y"}) {
  %w = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<2x1x1x1xf32>
  %y = onnx.Conv(%x, %w) {node = "conv", tensor = "y", kernel_shape = [1, 1], strides = [1, 1], dilations = [1, 1], pads = [0, 0, 0, 0], group = 2} : (tensor<1x2x2x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x2x2xf32>
  func.return %y : tensor<1x2x2x2xf32>
}
// CHECK: spat.product(%[[A:[^ ]+]] = %{{[^ ]+}})
// CHECK-NEXT: kernel.apply_blocks(%[[A]]) {kernel = [1, 1]
// CHECK-SAME: origin = 0, groups = 2, blocks = <0:2>, weights = "w"}
// CHECK-NOT: spat.join
