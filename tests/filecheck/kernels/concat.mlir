// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %l = pim.alloc {address = 0} : memref<2x2x3xf32>
    %r = pim.alloc {address = 64} : memref<2x2x1xf32>
    %y = pim.alloc {address = 128} : memref<2x2x3xf32>
    kernel.concat ins(%l, %r) outs(%y) {parts = <[0:2, 0:2, 1:3] at [0, 0, 0], [0:2, 0:2, 0:1] at [0, 0, 2]>, node = "n"} : memref<2x2x3xf32>, memref<2x2x1xf32>, memref<2x2x3xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 2 { ;
// CHECK-NEXT: lmv l[0x0080 + 24*i0 + 12*i1], l[0x0004 + 24*i0 + 12*i1], 8 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 2 { ;
// CHECK-NEXT: lmv l[0x0088 + 24*i0 + 12*i1], l[0x0040 + 8*i0 + 4*i1], 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: @ none
