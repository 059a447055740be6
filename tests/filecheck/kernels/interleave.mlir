// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: bias = [1, 2, 3, 4]
// WEIGHTS: part = [[[3, 4]]]

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<2x2x2xf32>
    %z = pim.alloc {address = 32} : memref<2x2x2xf32>
    %y = pim.alloc {address = 64} : memref<4x3x2xf32>
    %b = pim.constant {key = "part", address = 160} : memref<1x1x2xf32>
    kernel.interleave ins(%x, %z) outs(%y) constants(%b) {origins = <[0, 0], [1, 0]>, strides = [2, 2], channels = <2:4>, bias = "bias", epilogue = <relu>, node = "n"} : memref<2x2x2xf32>, memref<2x2x2xf32>, memref<4x3x2xf32>, memref<1x1x2xf32>
    pim.halt
  }
}
// CHECK: data 0x00a0 hex "0000404000008040"
// CHECK: @ "n"
// CHECK-NEXT: loop i0 4 { ;
// CHECK-NEXT: loop i1 3 { ;
// CHECK-NEXT: lmv l[0x0040 + 24*i0 + 8*i1], l[0x00a0], 8 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 2 { ;
// CHECK-NEXT: lmv l[0x0040 + 48*i0 + 16*i1], l[0x0000 + 16*i0 + 8*i1], 8 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 2 { ;
// CHECK-NEXT: lmv l[0x0058 + 48*i0 + 16*i1], l[0x0020 + 16*i0 + 8*i1], 8 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: vrelu.f32 l[0x0040], l[0x0040], 24 ;
// CHECK-NEXT: @ none
