// RUN: emu opt %s -p remove-identity | filecheck %s

func.func @main(%x: tensor<1x2x1x1xf32>) -> tensor<1x1x2x1xf32> {
  %a = onnx.Identity(%x) {node = "a", tensor = "a"} : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %b = onnx.Dropout(%a) {node = "b", tensor = "b"} : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %c = onnx.Clip(%b) {node = "c", tensor = "c"} : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %d = onnx.Reshape(%c) {node = "d", tensor = "d"} : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %e = onnx.Transpose(%d) {node = "e", tensor = "e", perm = [0, 1, 3, 2]} : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %f = onnx.Concat(%e) {node = "f", tensor = "f", axis = 1} : (tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
  %y = onnx.Transpose(%f) {node = "y", tensor = "y", perm = [0, 2, 1, 3]} : (tensor<1x2x1x1xf32>) -> tensor<1x1x2x1xf32>
  func.return %y : tensor<1x1x2x1xf32>
}
// CHECK: emu.views = {{.}}["a", ""], ["b", ""], ["c", ""]
// CHECK: func.func @main(%x: tensor<1x2x1x1xf32>)
// CHECK-NEXT: %y = onnx.Transpose(%x) {node = "y"
// CHECK-NEXT: func.return %y
