// RUN: emu opt %s -p lower-onnx-to-spat | filecheck %s

// Arguments and results without a name get one.
func.func @main(%x: tensor<1x4x1x3xf32>) -> tensor<1x4x1x3xf32> {
  %y = onnx.Relu(%x) {node = "relu", tensor = "y"} : (tensor<1x4x1x3xf32>) -> tensor<1x4x1x3xf32>
  func.return %y : tensor<1x4x1x3xf32>
}
// CHECK: spat.input {tensor = "input0"
// CHECK: spat.output(%{{.+}}) {tensor = "output0"
