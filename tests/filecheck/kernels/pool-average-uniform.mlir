// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 64} : memref<1x4x4xf32>
    %y = pim.alloc {address = 128} : memref<1x2x4xf32>
    kernel.pool ins(%x) outs(%y) {kind = "average", count_include_pad = 0, kernel = [1, 2], strides = [1, 2], dilations = [1, 1], pads = [0, 0, 0, 0], node = "n"} : memref<1x4x4xf32>, memref<1x2x4xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: lldi l[0x0080], 0, 32 ;
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: vvadd.f32 l[0x0080 + 16*i0], l[0x0080 + 16*i0], l[0x0040 + 32*i0], 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: vvadd.f32 l[0x0080 + 16*i0], l[0x0080 + 16*i0], l[0x0050 + 32*i0], 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: vsdiv.f32 l[0x0080], l[0x0080], 8, 2 ;
// CHECK-NEXT: @ none
