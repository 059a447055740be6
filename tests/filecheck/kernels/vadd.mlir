// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: b = [1, 2, 3, 4]
// WEIGHTS: b.3-4 = [3, 4]

builtin.module {
  pim.core 0 {
    %b = pim.constant {key = "b.3-4", address = 0} : memref<1x1x2xf32>
    %l = pim.alloc {address = 64} : memref<2x2x2xf32>
    %r = pim.alloc {address = 128} : memref<2x2x2xf32>
    %y = pim.alloc {address = 192} : memref<2x2x2xf32>
    kernel.vadd ins(%l, %r) outs(%y) constants(%b) {bias = "b", epilogue = <relu>, channels = <2:4>, node = "n"} : memref<2x2x2xf32>, memref<2x2x2xf32>, memref<2x2x2xf32>, memref<1x1x2xf32>
    pim.halt
  }
}
// CHECK: data 0x0000 hex "0000404000008040"
// CHECK: @ "n"
// CHECK-NEXT: vvadd.f32 l[0x00c0], l[0x0040], l[0x0080], 8 ;
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 2 { ;
// CHECK-NEXT: vvadd.f32 l[0x00c0 + 16*i0 + 8*i1], l[0x00c0 + 16*i0 + 8*i1], l[0x0000], 2 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: vrelu.f32 l[0x00c0], l[0x00c0], 8 ;
// CHECK-NEXT: @ none
