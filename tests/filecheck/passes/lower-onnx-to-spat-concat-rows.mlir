// RUN: emu opt %s -p lower-onnx-to-spat | filecheck %s

func.func @main(%a: tensor<1x2x3x3xf32> {onnx.name = "a"}, %b: tensor<1x2x1x3xf32> {onnx.name = "b"}) -> (tensor<1x2x4x3xf32> {onnx.name = "y"}) {
  %y = onnx.Concat(%a, %b) {node = "join", tensor = "y", axis = 2} : (tensor<1x2x3x3xf32>, tensor<1x2x1x3xf32>) -> tensor<1x2x4x3xf32>
  func.return %y : tensor<1x2x4x3xf32>
}
// CHECK: spat.layer(%{{[^ ]+}} = %{{[^,)]+}}, %{{[^ ]+}} = %{{[^,)]+}}) {node = "join", tensors = ["y"]
// CHECK: kernel.concat({{.+}}) {parts = <[0:3, 0:3, 0:2] at [0, 0, 0], [0:1, 0:3, 0:2] at [3, 0, 0]>} : (tensor<3x3x2xf32>, tensor<1x3x2xf32>) -> tensor<4x3x2xf32>
// CHECK-NOT: spat.join
