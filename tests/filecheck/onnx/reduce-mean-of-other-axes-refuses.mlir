// RUN: not emu opt %s | filecheck %s

// Means over other axes are nests: the importer never makes this operation.
func.func @main(%x: tensor<1x4x3x3xf32>) -> tensor<1x1x3x3xf32> {
  %y = onnx.ReduceMean(%x) {node = "other", tensor = "y", axes = [1], keepdims = 1} : (tensor<1x4x3x3xf32>) -> tensor<1x1x3x3xf32>
  func.return %y : tensor<1x1x3x3xf32>
}
// CHECK: reduce-mean-of-other-axes-refuses.mlir: line 5: node 'other' (ReduceMean) does not stand so in a text
