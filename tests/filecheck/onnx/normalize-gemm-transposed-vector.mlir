// RUN: emu opt %s -p normalize-gemm | filecheck %s
// WEIGHTS: w = [[1, 2], [3, 4], [5, 6]]

func.func @main(%x: tensor<3x1xf32>) -> tensor<1x2xf32> {
  %w = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<3x2xf32>
  %y = onnx.Gemm(%x, %w) {node = "gemm", tensor = "y", alpha = 1.000000e+00 : f32, beta = 1.000000e+00 : f32, transA = 1, transB = 0} : (tensor<3x1xf32>, tensor<3x2xf32>) -> tensor<1x2xf32>
  func.return %y : tensor<1x2xf32>
}
// CHECK: %[[R:.+]] = onnx.Reshape(%x) {node = "gemm/transpose", tensor = "y/transpose"} : (tensor<3x1xf32>) -> tensor<1x3xf32>
// CHECK-NEXT: onnx.Gemm(%[[R]], %w) {node = "gemm", tensor = "y"}
