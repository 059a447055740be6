// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<1x2x3xf32>
    %y = pim.alloc {address = 64} : memref<1x3x2xi32>
    %t = pim.alloc {address = 128} : memref<1x1x6xf32>
    kernel.nest ins(%x) outs(%y) scratch(%t) {sizes = [3, 2], iterators = ["parallel", "parallel"], maps = [affine_map<(d0, d1) -> (0, ((d1 * -1) + 1), d0)>, affine_map<(d0, d1) -> (0, d0, d1)>], body = [{fn = "exp", type = f32, args = array<i64: 0>}, {fn = "cast", type = i32, args = array<i64: 1>}], node = "n"} : memref<1x2x3xf32>, memref<1x3x2xi32>, memref<1x1x6xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: vexp.f32 l[0x0080], l[0x000c - 12*i0], 3 ;
// CHECK-NEXT: vcvt.f32.i32 l[0x0040 + 4*i0] stride 2, l[0x0080], 3 ;
// CHECK-NEXT: }
// CHECK-NEXT: @ none
