// RUN: emu opt %s -p fold-bias,remove-dead-constants | filecheck %s
// WEIGHTS: w = [[1, 2], [3, 4], [5, 6]]
// WEIGHTS: b = [1, 2]
// WEIGHTS: c = [[10, 20]]

func.func @main(%x: tensor<1x3xf32>) -> tensor<1x2xf32> {
  %w = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<3x2xf32>
  %b = onnx.Constant {node = "b", tensor = "b", key = "b"} : tensor<2xf32>
  %c = onnx.Constant {node = "c", tensor = "c", key = "c"} : tensor<1x2xf32>
  %p = onnx.Gemm(%x, %w, %b) {node = "product", tensor = "p"} : (tensor<1x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  %y = onnx.Add(%c, %p) {node = "sum", tensor = "y"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  func.return %y : tensor<1x2xf32>
}
// CHECK-NOT: onnx.Add
// CHECK: // weights product.bias = [11.0, 22.0]
