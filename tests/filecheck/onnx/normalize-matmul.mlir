// RUN: emu opt %s -p normalize-gemm,remove-dead-constants | filecheck %s
// WEIGHTS: w = [[[1, 2], [3, 4]]]

func.func @main(%x: tensor<1x3x2xf32>) -> tensor<1x3x2xf32> {
  %w = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<1x2x2xf32>
  %y = onnx.MatMul(%x, %w) {node = "product", tensor = "y"} : (tensor<1x3x2xf32>, tensor<1x2x2xf32>) -> tensor<1x3x2xf32>
  func.return %y : tensor<1x3x2xf32>
}
// CHECK: onnx.MatMul(%x, %{{.+}}) {node = "product", tensor = "y"} : (tensor<1x3x2xf32>, tensor<2x2xf32>)
// CHECK: // weights product.weight = {{\[\[}}1.0, 2.0], [3.0, 4.0]]
