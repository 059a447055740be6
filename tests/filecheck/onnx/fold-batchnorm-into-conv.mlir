// RUN: emu opt %s -p fold-batchnorm,remove-dead-constants | filecheck %s
// WEIGHTS: w = [[[[2]]], [[[3]]]]
// WEIGHTS: b = [1, 1]
// WEIGHTS: scale = [4, 6]
// WEIGHTS: shift = [7, 8]
// WEIGHTS: mean = [1, 2]
// WEIGHTS: var = [4, 9]

func.func @main(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<2x1x1x1xf32>
  %b = onnx.Constant {node = "b", tensor = "b", key = "b"} : tensor<2xf32>
  %scale = onnx.Constant {node = "scale", tensor = "scale", key = "scale"} : tensor<2xf32>
  %shift = onnx.Constant {node = "shift", tensor = "shift", key = "shift"} : tensor<2xf32>
  %mean = onnx.Constant {node = "mean", tensor = "mean", key = "mean"} : tensor<2xf32>
  %var = onnx.Constant {node = "var", tensor = "var", key = "var"} : tensor<2xf32>
  %p = onnx.Conv(%x, %w, %b) {node = "conv", tensor = "p", kernel_shape = [1, 1], strides = [1, 1], dilations = [1, 1], pads = [0, 0, 0, 0], group = 1} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  %y = onnx.BatchNormalization(%p, %scale, %shift, %mean, %var) {node = "norm", tensor = "y", epsilon = 0.000000e+00 : f32} : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  func.return %y : tensor<1x2x3x3xf32>
}
// CHECK: emu.fused = {{.}}["p", "y"]
// CHECK-NOT: onnx.BatchNormalization
// CHECK: onnx.Conv(%x, %{{.+}}, %{{.+}}) {node = "conv", tensor = "y", kernel_shape = [1, 1]
// CHECK-NEXT: func.return
// CHECK: // weights conv.bias = [7.0, 6.0]
// CHECK-NEXT: // weights conv.weight = {{\[\[\[\[}}4.0]]], [[[6.0]]]]
