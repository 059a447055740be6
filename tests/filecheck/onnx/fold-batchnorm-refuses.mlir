// RUN: not emu opt %s -p fold-batchnorm | filecheck %s
// WEIGHTS: one = [1]
// WEIGHTS: var = [0]

func.func @main(%x: tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32> {
  %one = onnx.Constant {node = "one", tensor = "one", key = "one"} : tensor<1xf32>
  %var = onnx.Constant {node = "var", tensor = "var", key = "var"} : tensor<1xf32>
  %y = onnx.BatchNormalization(%x, %one, %one, %one, %var) {node = "norm", tensor = "y", epsilon = 0.000000e+00 : f32} : (tensor<1x1x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3x3xf32>
  func.return %y : tensor<1x1x3x3xf32>
}
// CHECK: fold-batchnorm-refuses.mlir: node 'norm' (BatchNormalization) has a variance that is not positive
