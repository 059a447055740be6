// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<2x5x3xi8>
    %i = pim.alloc {address = 64} : memref<2x4x3xi64>
    %y = pim.alloc {address = 256} : memref<2x4x3xi8>
    kernel.gather ins(%x, %i) outs(%y) {node = "n"} : memref<2x5x3xi8>, memref<2x4x3xi64>, memref<2x4x3xi8>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 3 { ;
// CHECK-NEXT: vlut.i64.i8.wrap l[0x0100 + 12*i0 + i1] stride 3, l[0x0040 + 96*i0 + 8*i1] stride 3, l[0x0000 + 15*i0 + i1] stride 3, 4, entries 5, width 1 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: @ none
