// RUN: emu opt %s -p reduce-mean-to-pool | filecheck %s

func.func @main(%x: tensor<1x4x3x3xf32>) -> (tensor<1x4x1x1xf32>, tensor<1x4xf32>) {
  %a = onnx.ReduceMean(%x) {node = "keeps", tensor = "a", axes = [2, 3], keepdims = 1} : (tensor<1x4x3x3xf32>) -> tensor<1x4x1x1xf32>
  %b = onnx.ReduceMean(%x) {node = "drops", tensor = "b", axes = [2, 3], keepdims = 0} : (tensor<1x4x3x3xf32>) -> tensor<1x4xf32>
  func.return %a, %b : tensor<1x4x1x1xf32>, tensor<1x4xf32>
}
// CHECK: onnx.GlobalAveragePool(%x) {node = "keeps", tensor = "a"}
// CHECK-NEXT: %[[P:.+]] = onnx.GlobalAveragePool(%x) {node = "drops", tensor = "b/pool"} : (tensor<1x4x3x3xf32>) -> tensor<1x4x1x1xf32>
// CHECK-NEXT: onnx.Reshape(%[[P]]) {node = "drops/reshape", tensor = "b"} : (tensor<1x4x1x1xf32>) -> tensor<1x4xf32>
