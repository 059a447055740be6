// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<2x2x3xf32>
    %y = pim.alloc {address = 64} : memref<4x4x3xf32>
    kernel.concat ins(%x) outs(%y) {parts = <[0:2, 0:2, 0:3] at [1, 1, 0]>, node = "n"} : memref<2x2x3xf32>, memref<4x4x3xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: lldi l[0x0040], 0, 60 ;
// CHECK-NEXT: lldi l[0x0094], 0, 24 ;
// CHECK-NEXT: lldi l[0x00c4], 0, 60 ;
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: lmv l[0x007c + 48*i0], l[0x0000 + 24*i0], 24 ;
// CHECK-NEXT: }
// CHECK-NEXT: @ none
