// RUN: emu opt %s -p remove-identity | filecheck %s

func.func @main(%x: tensor<1x4xf32>) -> tensor<4x1xf32> {
  %a = onnx.Clip(%x) {node = "a", tensor = "a", min = 0.000000e+00 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %b = onnx.Reshape(%a) {node = "b", tensor = "b"} : (tensor<1x4xf32>) -> tensor<4x1xf32>
  func.return %b : tensor<4x1xf32>
}
// CHECK: onnx.Clip
// CHECK-NEXT: onnx.Reshape
