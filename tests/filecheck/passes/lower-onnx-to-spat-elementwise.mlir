// RUN: emu opt %s -p lower-onnx-to-spat | filecheck %s
// WEIGHTS: c = [2]

func.func @main(%x: tensor<1x2xf32> {onnx.name = "x"}) -> (tensor<1x2xf32> {onnx.name = "z"}) {
  %c = onnx.Constant {node = "c", tensor = "c", key = "c"} : tensor<1xf32>
  %y = onnx.Sub(%c, %x) {node = "from", tensor = "y"} : (tensor<1xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  %z = onnx.Add(%y, %x) {node = "sum", tensor = "z"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  func.return %z : tensor<1x2xf32>
}
// CHECK: %[[X:.+]] = spat.input
// CHECK-NEXT: %[[Y:.+]] = spat.layer(%{{[^ ]+}} = %[[X]]) {node = "from", tensors = ["y"]
// CHECK: kernel.nest({{.+}}body = [{fn = "sub", type = f32, args = array<i64: 1, 0>}], arrays = ["c"], types = [f32]}
// CHECK: spat.layer(%{{[^ ]+}} = %[[Y]], %{{[^ ]+}} = %[[X]]) {node = "sum", tensors = ["z"]
// CHECK: kernel.nest({{.+}}body = [{fn = "add", type = f32, args = array<i64: 0, 1>}]} : (tensor<1x1x2xf32>, tensor<1x1x2xf32>)
