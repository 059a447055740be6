// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: w = [[[[1]], [[2]], [[3]], [[4]]], [[[5]], [[6]], [[7]], [[8]]]]

builtin.module {
  pim.core 0 {
    %l = pim.alloc {address = 0} : memref<2x2x2xf32>
    %r = pim.alloc {address = 64} : memref<2x2x2xf32>
    %y = pim.alloc {address = 128} : memref<2x2x1xf32>
    %z = pim.alloc {address = 192} : memref<2x2x1xf32>
    kernel.apply_filters ins(%l, %r) outs(%y, %z) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0, 2], tiles = <0[0:1], 0[1:2], 1[0:2]>, channels = <0:1, 1:2>, node = "n"} : memref<2x2x2xf32>, memref<2x2x2xf32>, memref<2x2x1xf32>, memref<2x2x1xf32>
    pim.halt
  }
}
// CHECK: group 0 f32.f32.f32 rows 1 1 cols 1
// CHECK: group 1 f32.f32.f32 rows 1 1 cols 1
// CHECK: group 2 f32.f32.f32 rows 2 cols 1
// CHECK: group 3 f32.f32.f32 rows 2 cols 1
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 2 { ;
// CHECK-NEXT: mvmul.f32.f32 l[0x0080 + 8*i0 + 4*i1], l[0x0000 + 16*i0 + 8*i1], group 0 ;
// CHECK-NEXT: mvmul.f32.f32 l[0x00c0 + 8*i0 + 4*i1], l[0x0000 + 16*i0 + 8*i1], group 1 ;
// CHECK-NEXT: mvmul.f32.f32 l[0x0080 + 8*i0 + 4*i1], l[0x0040 + 16*i0 + 8*i1], group 2 acc ;
// CHECK-NEXT: mvmul.f32.f32 l[0x00c0 + 8*i0 + 4*i1], l[0x0040 + 16*i0 + 8*i1], group 3 acc ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: @ none
