// RUN: emu opt %s -p fold-batchnorm,remove-dead-constants | filecheck %s
// WEIGHTS: scale = [4, 6]
// WEIGHTS: shift = [7, 8]
// WEIGHTS: mean = [1, 2]
// WEIGHTS: var = [4, 9]

func.func @main(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %scale = onnx.Constant {node = "scale", tensor = "scale", key = "scale"} : tensor<2xf32>
  %shift = onnx.Constant {node = "shift", tensor = "shift", key = "shift"} : tensor<2xf32>
  %mean = onnx.Constant {node = "mean", tensor = "mean", key = "mean"} : tensor<2xf32>
  %var = onnx.Constant {node = "var", tensor = "var", key = "var"} : tensor<2xf32>
  %y = onnx.BatchNormalization(%x, %scale, %shift, %mean, %var) {node = "norm", tensor = "y", epsilon = 0.000000e+00 : f32} : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  func.return %y : tensor<1x2x3x3xf32>
}
// CHECK: %[[P:.+]] = onnx.Mul(%x, %{{.+}}) {node = "norm/scale", tensor = "y/scale"} : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>)
// CHECK-NEXT: onnx.Add(%[[P]], %{{.+}}) {node = "norm", tensor = "y"}
// CHECK: // weights norm.scale = {{\[\[\[}}2.0]], [[2.0]]]
// CHECK-NEXT: // weights norm.shift = {{\[\[\[}}5.0]], [[4.0]]]
