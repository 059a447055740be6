// RUN: emu opt %s -p fold-bias | filecheck %s
// WEIGHTS: w = [[1, 2], [3, 4], [5, 6]]
// WEIGHTS: c = [[10], [20]]

// One number per row, and a product that somebody else reads, too.
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %w = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<3x2xf32>
  %c = onnx.Constant {node = "c", tensor = "c", key = "c"} : tensor<2x1xf32>
  %p = onnx.MatMul(%x, %w) {node = "product", tensor = "p"} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %y = onnx.Add(%p, %c) {node = "sum", tensor = "y"} : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %z = onnx.Relu(%p) {node = "relu", tensor = "z"} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return %y, %z : tensor<2x2xf32>, tensor<2x2xf32>
}
// CHECK: %p = onnx.MatMul(%x, %w)
// CHECK-NEXT: %y = onnx.Add(%p, %c)
// CHECK-NOT: onnx.Gemm
