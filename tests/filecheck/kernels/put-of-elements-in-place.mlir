// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<2x5x3xi32>
    %i = pim.alloc {address = 128} : memref<2x4x3xi32>
    %u = pim.alloc {address = 256} : memref<2x4x3xi32>
    kernel.put ins(%x, %i, %u) outs(%x) {combine = "max", node = "n"} : memref<2x5x3xi32>, memref<2x4x3xi32>, memref<2x4x3xi32>, memref<2x5x3xi32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 3 { ;
// CHECK-NEXT: vput.i32.i32.max.wrap l[0x0000 + 60*i0 + 4*i1] stride 3, l[0x0080 + 48*i0 + 4*i1] stride 3, l[0x0100 + 48*i0 + 4*i1] stride 3, 4, entries 5, width 1 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: @ none
