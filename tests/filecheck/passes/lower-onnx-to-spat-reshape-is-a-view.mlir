// RUN: emu opt %s -p lower-onnx-to-spat | filecheck %s

func.func @main(%x: tensor<1x6x1x1xf32> {onnx.name = "x"}) -> (tensor<1x6xf32> {onnx.name = "z"}) {
  %y = onnx.Relu(%x) {node = "relu", tensor = "y"} : (tensor<1x6x1x1xf32>) -> tensor<1x6x1x1xf32>
  %z = onnx.Reshape(%y) {node = "flat", tensor = "z"} : (tensor<1x6x1x1xf32>) -> tensor<1x6xf32>
  func.return %z : tensor<1x6xf32>
}
// CHECK: emu.views = {{.}}["z", "y"]]
// CHECK: %[[Y:.+]] = spat.layer({{.+}}) {node = "relu"
// CHECK: kernel.activation
// CHECK-NOT: kernel.nest
// CHECK: spat.output(%[[Y]]) {tensor = "z", element = f32, boxes = <[0:1, 0:1, 0:6]>, form = <[1, C] with H = 1, W = 1, C = 6>
