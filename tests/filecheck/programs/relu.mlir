// RUN: emu opt %s -p lower-onnx-to-spat,cut-layers,place,lower-spat-to-pim,allocate-buffers -t asm | filecheck %s

func.func @main(%x: tensor<1x4x1x3xf32> {onnx.name = "x"}) -> (tensor<1x4x1x3xf32> {onnx.name = "y"}) {
  %y = onnx.Relu(%x) {node = "relu", tensor = "y"} : (tensor<1x4x1x3xf32>) -> tensor<1x4x1x3xf32>
  func.return %y : tensor<1x4x1x3xf32>
}
// CHECK: ld l[0x0000], g[0x0000], 48
// CHECK: vrelu.f32 l[0x0000], l[0x0000], 12
// CHECK: st g[0x0040], l[0x0000], 48
// CHECK: halt
