// RUN: emu opt %s -p lower-onnx-to-spat | filecheck %s

func.func @main(%a: tensor<1x2x3x3xf32> {onnx.name = "a"}, %b: tensor<1x1x3x3xf32> {onnx.name = "b"}) -> (tensor<1x3x3x3xf32> {onnx.name = "y"}) {
  %y = onnx.Concat(%a, %b) {node = "join", tensor = "y", axis = 1} : (tensor<1x2x3x3xf32>, tensor<1x1x3x3xf32>) -> tensor<1x3x3x3xf32>
  func.return %y : tensor<1x3x3x3xf32>
}
// Along the channels nothing moves.
// CHECK: %[[A:.+]] = spat.input {tensor = "a"
// CHECK-NEXT: %[[B:.+]] = spat.input {tensor = "b"
// CHECK-NEXT: %[[Y:.+]] = spat.join(%[[A]], %[[B]]) : (tensor<3x3x2xf32>, tensor<3x3x1xf32>) -> tensor<3x3x3xf32>
// CHECK-NEXT: spat.output(%[[Y]]) {tensor = "y", element = f32, boxes = <[0:3, 0:3, 0:3]>
