// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<2x5x3xf32>
    %i = pim.alloc {address = 128} : memref<1x1x4xi32>
    %y = pim.alloc {address = 192} : memref<2x4x3xf32>
    kernel.gather ins(%x, %i) outs(%y) {node = "n"} : memref<2x5x3xf32>, memref<1x1x4xi32>, memref<2x4x3xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: vlut.i32.f32.wrap l[0x00c0 + 48*i0], l[0x0080], l[0x0000 + 60*i0], 4, entries 5, width 3 ;
// CHECK-NEXT: }
// CHECK-NEXT: @ none
