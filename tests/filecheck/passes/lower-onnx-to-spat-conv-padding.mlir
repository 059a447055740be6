// RUN: emu opt %s -p lower-onnx-to-spat | filecheck %s
// WEIGHTS: w = [[[[1, 2, 3], [4, 5, 6]]], [[[1, 2, 3], [4, 5, 6]]]]

func.func @main(%x: tensor<1x1x3x4xf32> {onnx.name = "x"}) -> (tensor<1x2x4x3xf32> {onnx.name = "z"}) {
  %w = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<2x1x2x3xf32>
  %y = onnx.Conv(%x, %w) {node = "conv", tensor = "y", kernel_shape = [2, 3], strides = [1, 1], dilations = [1, 1], pads = [2, 1, 0, 0], group = 1} : (tensor<1x1x3x4xf32>, tensor<2x1x2x3xf32>) -> tensor<1x2x4x3xf32>
  %z = onnx.Relu(%y) {node = "relu", tensor = "z"} : (tensor<1x2x4x3xf32>) -> tensor<1x2x4x3xf32>
  func.return %z : tensor<1x2x4x3xf32>
}
// The padding is a copy into a larger tile, the activation after it an epilogue.
// CHECK: emu.fused = {{.}}["y", "z"]]
// CHECK: %[[X:.+]] = spat.input {tensor = "x", boxes = <[0:3, 0:4, 0:1]>
// CHECK-NEXT: %[[Z:.+]] = spat.product(%[[A:[^ ]+]] = %[[X]]) {node = "conv", tensors = ["z"]
// CHECK-NEXT: %[[P:.+]] = kernel.concat(%[[A]]) {parts = <[0:3, 0:4, 0:1] at [2, 1, 0]>} : (tensor<3x4x1xf32>) -> tensor<5x5x1xf32>
// CHECK-NEXT: %[[F:.+]] = kernel.apply_filters(%[[P]]) {kernel = [2, 3]
// CHECK-SAME: tiles = <0[0:6]>, channels = <0:2>, weights = "w", epilogue = <relu>} : (tensor<5x5x1xf32>) -> tensor<4x3x2xf32>
// CHECK-NEXT: spat.yield(%[[F]])
// CHECK: spat.output(%[[Z]]) {tensor = "z"
