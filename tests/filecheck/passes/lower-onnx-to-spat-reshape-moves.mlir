// RUN: emu opt %s -p lower-onnx-to-spat | filecheck %s

func.func @main(%x: tensor<1x2x3x3xf32> {onnx.name = "x"}) -> (tensor<1x3x2x2xf32> {onnx.name = "z"}) {
  %y = onnx.Reshape(%x) {node = "shape", tensor = "y"} : (tensor<1x2x3x3xf32>) -> tensor<1x3x3x2xf32>
  %z = onnx.MaxPool(%y) {node = "pool", tensor = "z", kernel_shape = [2, 1], strides = [1, 1], dilations = [1, 1], pads = [0, 0, 0, 0]} : (tensor<1x3x3x2xf32>) -> tensor<1x3x2x2xf32>
  func.return %z : tensor<1x3x2x2xf32>
}
// Row-major order first, then the new image.
// CHECK: kernel.nest({{.+}}) {sizes = [2, 3, 3], {{.+}}(d1, d2, d0)>, {{.+}} body = []} : (tensor<3x3x2xf32>) -> tensor<1x1x18xf32>
// CHECK: kernel.nest({{.+}}) {sizes = [3, 3, 2], {{.+}}(d1, d2, d0)>], body = []} : (tensor<1x1x18xf32>) -> tensor<3x2x3xf32>
// CHECK: kernel.pool
