// RUN: not emu opt %s -p normalize-gemm | filecheck %s

func.func @main(%x: tensor<1x3xf32>, %w: tensor<3x2xf32>) -> tensor<1x2xf32> {
  %y = "onnx.MatMul"(%x, %w) <{node = "product", tensor = "y"}> : (tensor<1x3xf32>, tensor<3x2xf32>) -> tensor<1x2xf32>
  func.return %y : tensor<1x2xf32>
}
// CHECK: normalize-gemm-refuses.mlir: node 'product' (MatMul)
