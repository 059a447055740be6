// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<1x5x3xf32>
    %i = pim.alloc {address = 64} : memref<1x1x4xi64>
    %u = pim.alloc {address = 128} : memref<1x4x3xf32>
    %y = pim.alloc {address = 192} : memref<1x5x3xf32>
    kernel.put ins(%x, %i, %u) outs(%y) {combine = "assign", node = "n"} : memref<1x5x3xf32>, memref<1x1x4xi64>, memref<1x4x3xf32>, memref<1x5x3xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: lmv l[0x00c0], l[0x0000], 60 ;
// CHECK-NEXT: vput.i64.f32.wrap l[0x00c0], l[0x0040], l[0x0080], 4, entries 5, width 3 ;
// CHECK-NEXT: @ none
