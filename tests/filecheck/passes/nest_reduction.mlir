// RUN: emu opt %s -p lower-onnx-to-spat,cut-layers,place,lower-spat-to-pim,allocate-buffers -t asm | filecheck %s

func.func @main(%x: tensor<1x2x3xf32> {onnx.name = "x"}) -> (tensor<2xi32> {onnx.name = "y"}) {
  %y = nest.generic(%x) {node = "squares", tensor = "y", sizes = [2, 3], iterators = ["parallel", "reduction"], maps = [affine_map<(d0, d1) -> (0, d0, d1)>, affine_map<(d0, d1) -> (d0)>], body = [{fn = "mul", type = f32, args = array<i64: 0, 0>}, {fn = "cast", type = i32, args = array<i64: 1>}], combine = "add"} : (tensor<1x2x3xf32>) -> tensor<2xi32>
  func.return %y : tensor<2xi32>
}
// CHECK: @ "squares"
// CHECK: vmv.i32 l[0x0080], l[0x0000] stride 0, 2 ;
// CHECK-NEXT: loop i0 3 { ;
// CHECK-NEXT: vvmul.f32 l[0x00c0], l[0x0040 + 8*i0], l[0x0040 + 8*i0], 2 ;
// CHECK-NEXT: vcvt.f32.i32 l[0x0100], l[0x00c0], 2 ;
// CHECK-NEXT: vvadd.i32 l[0x0080], l[0x0080], l[0x0100], 2 ;
