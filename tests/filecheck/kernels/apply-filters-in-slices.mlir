// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: w = [[[[1, 2], [3, 4]]], [[[5, 6], [7, 8]]]]
// Each slice is copied and multiplied by itself, the second one on top of the first, whose row tiles work together.

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 64} : memref<3x3x1xf32>
    %y = pim.alloc {address = 128} : memref<2x2x2xf32>
    %g = pim.alloc {address = 192} : memref<1x1x3xf32>
    kernel.apply_filters ins(%x) outs(%y) scratch(%g) {weights = "w", kernel = [2, 2], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:1], 0[1:3], 0[3:4]>, slices = [2, 1], channels = <0:2>, node = "n"} : memref<3x3x1xf32>, memref<2x2x2xf32>, memref<1x1x3xf32>
    pim.halt
  }
}
// CHECK: group 0 f32.f32.f32 rows 1 2 cols 2
// CHECK: group 1 f32.f32.f32 rows 1 cols 2
// CHECK: lmv l[0x00c0], l[0x0040 + 12*i0 + 4*i1], 8 ;
// CHECK-NEXT: lmv l[0x00c8], l[0x004c + 12*i0 + 4*i1], 4 ;
// CHECK-NEXT: mvmul.f32.f32 l[0x0080 + 16*i0 + 8*i1], l[0x00c0], group 0 ;
// CHECK-NEXT: mvmul.f32.f32{{.*}} l[0x0080 + 16*i0 + 8*i1], l[0x0050 + 12*i0 + 4*i1], group 1
// CHECK-NEXT: }
