// RUN: emu opt %s -p remove-dead-constants | filecheck %s
// WEIGHTS: dead = [1]
// WEIGHTS: live = [2]

func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
  %dead = onnx.Constant {node = "dead", tensor = "dead", key = "dead"} : tensor<1xf32>
  %live = onnx.Constant {node = "live", tensor = "live", key = "live"} : tensor<1xf32>
  %y = onnx.Add(%x, %live) {node = "sum", tensor = "y"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  func.return %y : tensor<1xf32>
}
// CHECK-NOT: dead
// CHECK: onnx.Add(%x, %live)
// CHECK-NOT: dead
// CHECK: // weights live = [2.0]
