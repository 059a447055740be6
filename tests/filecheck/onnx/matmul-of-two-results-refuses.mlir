// RUN: not emu opt %s -p normalize-gemm | filecheck %s

// Products of two results are nests: as an operation, a product has weights.
func.func @main(%x: tensor<1x3xf32>, %w: tensor<3x2xf32>) -> tensor<1x2xf32> {
  %y = onnx.MatMul(%x, %w) {node = "product", tensor = "y"} : (tensor<1x3xf32>, tensor<3x2xf32>) -> tensor<1x2xf32>
  func.return %y : tensor<1x2xf32>
}
// CHECK: matmul-of-two-results-refuses.mlir: line 5: node 'product' (MatMul) does not stand so in a text
