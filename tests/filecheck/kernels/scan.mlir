// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<2x5x3xi32>
    %y = pim.alloc {address = 128} : memref<2x5x3xi32>
    kernel.scan ins(%x) outs(%y) {axis = 1, exclusive = 0, reverse = 0, node = "n"} : memref<2x5x3xi32>, memref<2x5x3xi32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: vmv.i32 l[0x0080 + 60*i0], l[0x0000 + 60*i0], 3 ;
// CHECK-NEXT: loop i1 4 { ;
// CHECK-NEXT: vvadd.i32 l[0x008c + 60*i0 + 12*i1], l[0x0080 + 60*i0 + 12*i1], l[0x000c + 60*i0 + 12*i1], 3 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: @ none
