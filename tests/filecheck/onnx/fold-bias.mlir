// RUN: emu opt %s -p fold-bias | filecheck %s
// WEIGHTS: w = [[1, 2], [3, 4], [5, 6]]
// WEIGHTS: c = [10, 20]

func.func @main(%x: tensor<1x3xf32>) -> tensor<1x2xf32> {
  %w = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<3x2xf32>
  %c = onnx.Constant {node = "c", tensor = "c", key = "c"} : tensor<2xf32>
  %p = onnx.MatMul(%x, %w) {node = "product", tensor = "p"} : (tensor<1x3xf32>, tensor<3x2xf32>) -> tensor<1x2xf32>
  %y = onnx.Add(%p, %c) {node = "sum", tensor = "y"} : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  func.return %y : tensor<1x2xf32>
}
// CHECK: emu.fused = {{.}}["p", "y"]
// CHECK: %[[B:.+]] = onnx.Constant {node = "product.bias"
// CHECK-NEXT: %[[Y:.+]] = onnx.Gemm(%x, %w, %[[B]]) {node = "product", tensor = "y"}
// CHECK-NEXT: func.return %[[Y]]
// CHECK: // weights product.bias = [10.0, 20.0]
