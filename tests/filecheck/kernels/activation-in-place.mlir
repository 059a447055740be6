// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 64} : memref<2x2x3xf32>
    kernel.activation ins(%x) outs(%x) {epilogue = <leaky_relu(0.5), tanh>, node = "n"} : memref<2x2x3xf32>, memref<2x2x3xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: vlrelu.f32 l[0x0040], l[0x0040], 12, 0.5 ;
// CHECK-NEXT: vtanh.f32 l[0x0040], l[0x0040], 12 ;
// CHECK-NEXT: @ none
