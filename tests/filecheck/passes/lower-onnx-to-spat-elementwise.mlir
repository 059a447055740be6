// RUN: emu opt %s -p lower-onnx-to-spat | filecheck %s
// WEIGHTS: c = [2]

func.func @main(%x: tensor<1x2xf32> {onnx.name = "x"}) -> (tensor<1x2xf32> {onnx.name = "z"}) {
  %c = "onnx.Constant"() <{node = "c", tensor = "c", key = "c"}> : () -> tensor<1xf32>
  %y = "onnx.Sub"(%c, %x) <{node = "from", tensor = "y"}> : (tensor<1xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  %z = "onnx.Add"(%y, %x) <{node = "sum", tensor = "z"}> : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  func.return %z : tensor<1x2xf32>
}
// CHECK: %[[X:.+]] = "spat.input"
// CHECK-NEXT: %[[Y:.+]] = "spat.layer"(%[[X]]) <{node = "from", tensors = ["y"]
// CHECK: "kernel.elementwise"({{.+}}) <{fn = "sub", offsets = array<i64: 0, 0, 0>, constant = "c/tiles", constant_first = 1 : i64}>
// CHECK: "spat.layer"(%[[Y]], %[[X]]) <{node = "sum", tensors = ["z"]
// CHECK: "kernel.elementwise"({{.+}}) <{fn = "add", offsets = array<i64: 0, 0, 0>}> : (tensor<1x1x2xf32>, tensor<1x1x2xf32>)
// CHECK: // weights c/tiles = {{...}}2.0]]]
