// RUN: emu opt %s -p fuse-nests | filecheck %s
// WEIGHTS: c = [1, 2, 3]

func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %c = onnx.Constant {node = "c", tensor = "c", key = "c"} : tensor<3xf32>
  %s = onnx.Add(%x, %c) {node = "sum", tensor = "s"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %g = onnx.Sigmoid(%s) {node = "gate", tensor = "g"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %p = onnx.Mul(%s, %g) {node = "product", tensor = "p"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %z = nest.generic(%p) {node = "turn", tensor = "z", sizes = [3, 2], iterators = ["parallel", "parallel"], maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], body = [{fn = "neg", type = f32, args = array<i64: 0>}]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return %z : tensor<3x2xf32>
}
// CHECK: %[[C:.+]] = onnx.Constant
// CHECK-NEXT: %[[Z:.+]] = nest.generic(%x, %[[C]])
// CHECK-SAME: maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME: body = [{fn = "add", type = f32, args = array<i64: 0, 1>}, {fn = "sigmoid", type = f32, args = array<i64: 2>}
// CHECK-SAME: {fn = "mul", type = f32, args = array<i64: 2, 3>}, {fn = "neg", type = f32, args = array<i64: 4>}]
// CHECK-NEXT: func.return %[[Z]]
