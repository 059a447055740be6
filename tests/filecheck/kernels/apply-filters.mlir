// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: w = [[[[1, 2], [3, 4]]], [[[5, 6], [7, 8]]]]
// WEIGHTS: b = [10, 20]

builtin.module {
  pim.core 0 {
    %b = pim.constant {key = "b", address = 0} : memref<1x1x2xf32>
    %x = pim.alloc {address = 64} : memref<3x3x1xf32>
    %y = pim.alloc {address = 128} : memref<2x2x2xf32>
    %g = pim.alloc {address = 192} : memref<1x1x4xf32>
    kernel.apply_filters ins(%x) outs(%y) scratch(%g) constants(%b) {weights = "w", bias = "b", epilogue = <relu>, kernel = [2, 2], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:4]>, channels = <0:2>, node = "n"} : memref<3x3x1xf32>, memref<2x2x2xf32>, memref<1x1x4xf32>, memref<1x1x2xf32>
    pim.halt
  }
}
// CHECK: group 0 f32.f32.f32 rows 4 cols 2
// CHECK: data 0x0000 hex "000020410000a041"
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 2 { ;
// CHECK-NEXT: lmv l[0x00c0], l[0x0040 + 12*i0 + 4*i1], 8 ;
// CHECK-NEXT: lmv l[0x00c8], l[0x004c + 12*i0 + 4*i1], 8 ;
// CHECK-NEXT: mvmul.f32.f32 l[0x0080 + 16*i0 + 8*i1], l[0x00c0], group 0 ;
// CHECK-NEXT: vvadd.f32 l[0x0080 + 16*i0 + 8*i1], l[0x0080 + 16*i0 + 8*i1], l[0x0000], 2 ;
// CHECK-NEXT: vrelu.f32 l[0x0080 + 16*i0 + 8*i1], l[0x0080 + 16*i0 + 8*i1], 2 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: @ none
