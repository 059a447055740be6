// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: w = [[[[[[1, 2]], [[3, 4]]]]]]

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<5x3x2x4x1xf32>
    %y = pim.alloc {address = 1024} : memref<5x2x2x3x1xf32>
    %g = pim.alloc {address = 2048} : memref<1x1x4xf32>
    kernel.apply_filters ins(%x) outs(%y) scratch(%g) {weights = "w", kernel = [1, 2, 1, 2], strides = [1, 1, 1, 1], dilations = [1, 1, 1, 1], origins = [0], tiles = <0[0:4]>, channels = <0:1>, node = "n"} : memref<5x3x2x4x1xf32>, memref<5x2x2x3x1xf32>, memref<1x1x4xf32>
    pim.halt
  }
}
// A batch of 5 volumes: the axes of depth and height are one loop.
// CHECK: group 0 f32.f32.f32 rows 4 cols 1
// CHECK: @ "n"
// CHECK-NEXT: loop i0 5 { ;
// CHECK-NEXT: loop i1 4 { ;
// CHECK-NEXT: loop i2 3 { ;
// CHECK-NEXT: lmv l[0x0800], l[0x0000 + 96*i0 + 16*i1 + 4*i2], 8 ;
// CHECK-NEXT: lmv l[0x0808], l[0x0020 + 96*i0 + 16*i1 + 4*i2], 8 ;
// CHECK-NEXT: mvmul.f32.f32 l[0x0400 + 48*i0 + 12*i1 + 4*i2], l[0x0800], group 0 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: @ none
