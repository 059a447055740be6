// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<2x2x3xf32>
    %y = pim.alloc {address = 64} : memref<3x2x3xf32>
    kernel.activation ins(%x) outs(%y) {epilogue = <>, rows = <5:7 of 8, 5:7 of 8>, node = "n"} : memref<2x2x3xf32>, memref<3x2x3xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: lmv l[0x0070], l[0x0018], 24 ;
// CHECK-NEXT: lmv l[0x0040], l[0x0000], 24 ;
// CHECK-NEXT: @ none
