// RUN: emu opt %s -p normalize-gemm,remove-dead-constants | filecheck %s
// WEIGHTS: w = [[1, 2, 3], [4, 5, 6]]
// WEIGHTS: b = [1, 2]

func.func @main(%x: tensor<1x3xf32>) -> tensor<1x2xf32> {
  %w = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<2x3xf32>
  %b = onnx.Constant {node = "b", tensor = "b", key = "b"} : tensor<2xf32>
  %y = onnx.Gemm(%x, %w, %b) {node = "gemm", tensor = "y", alpha = 2.000000e+00 : f32, beta = 3.000000e+00 : f32, transA = 0, transB = 1} : (tensor<1x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  func.return %y : tensor<1x2xf32>
}
// CHECK: onnx.Gemm(%x, %{{.+}}, %{{.+}}) {node = "gemm", tensor = "y"} : (tensor<1x3xf32>, tensor<3x2xf32>, tensor<2xf32>)
// CHECK: // weights gemm.bias = [3.0, 6.0]
// CHECK-NEXT: // weights gemm.weight = {{\[\[}}2.0, 8.0], [4.0, 10.0], [6.0, 12.0]]
