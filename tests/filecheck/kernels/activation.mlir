// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 64} : memref<2x2x3xf32>
    %y = pim.alloc {address = 128} : memref<2x2x3xf32>
    kernel.activation ins(%x) outs(%y) {epilogue = <clip(0.0, 6.0)>, node = "n"} : memref<2x2x3xf32>, memref<2x2x3xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: lmv l[0x0080], l[0x0040], 48 ;
// CHECK-NEXT: vsmax.f32 l[0x0080], l[0x0080], 12, 0 ;
// CHECK-NEXT: vsmin.f32 l[0x0080], l[0x0080], 12, 6 ;
// CHECK-NEXT: @ none
