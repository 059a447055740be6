// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: w = [[[[1, 2], [3, 4]]], [[[5, 6], [7, 8]]], [[[1, 2], [3, 4]]], [[[5, 6], [7, 8]]]]

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<2x2x2xf32>
    %y = pim.alloc {address = 64} : memref<1x1x2xf32>
    %g = pim.alloc {address = 128} : memref<1x1x4xf32>
    kernel.apply_blocks ins(%x) outs(%y) scratch(%g) {weights = "w", origin = 1, groups = 4, epilogue = <relu>, kernel = [2, 2], strides = [1, 1], dilations = [1, 1], blocks = <1:2, 2:3>, node = "n"} : memref<2x2x2xf32>, memref<1x1x2xf32>, memref<1x1x4xf32>
    pim.halt
  }
}
// CHECK: group 0 f32.f32.f32 rows 4 cols 1
// CHECK: group 1 f32.f32.f32 rows 4 cols 1
// CHECK: @ "n"
// CHECK-NEXT: loop i0 1 { ;
// CHECK-NEXT: lmv l[0x0080], l[0x0000 + 8*i0], 4 ;
// CHECK-NEXT: lmv l[0x0084], l[0x0008 + 8*i0], 4 ;
// CHECK-NEXT: lmv l[0x0088], l[0x0010 + 8*i0], 4 ;
// CHECK-NEXT: lmv l[0x008c], l[0x0018 + 8*i0], 4 ;
// CHECK-NEXT: mvmul.f32.f32 l[0x0040 + 8*i0], l[0x0080], group 0 ;
// CHECK-NEXT: }
// CHECK-NEXT: loop i0 1 { ;
// CHECK-NEXT: lmv l[0x0080], l[0x0004 + 8*i0], 4 ;
// CHECK-NEXT: lmv l[0x0084], l[0x000c + 8*i0], 4 ;
// CHECK-NEXT: lmv l[0x0088], l[0x0014 + 8*i0], 4 ;
// CHECK-NEXT: lmv l[0x008c], l[0x001c + 8*i0], 4 ;
// CHECK-NEXT: mvmul.f32.f32 l[0x0044 + 8*i0], l[0x0080], group 1 ;
// CHECK-NEXT: }
// CHECK-NEXT: loop i0 1 { ;
// CHECK-NEXT: vrelu.f32 l[0x0040 + 8*i0], l[0x0040 + 8*i0], 2 ;
// CHECK-NEXT: }
// CHECK-NEXT: @ none
