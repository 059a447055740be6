// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<1x2x5xf32>
    %y = pim.alloc {address = 64} : memref<1x2x5xf32>
    %s = pim.alloc {address = 128} : memref<1x1x1xf32>
    kernel.softmax ins(%x) outs(%y) scratch(%s) {node = "n"} : memref<1x2x5xf32>, memref<1x2x5xf32>, memref<1x1x1xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: vrmax.f32 l[0x0080], l[0x0000 + 20*i0], 5 ;
// CHECK-NEXT: vvsub.f32 l[0x0040 + 20*i0], l[0x0000 + 20*i0], l[0x0080] stride 0, 5 ;
// CHECK-NEXT: vexp.f32 l[0x0040 + 20*i0], l[0x0040 + 20*i0], 5 ;
// CHECK-NEXT: vsum.f32 l[0x0080], l[0x0040 + 20*i0], 5 ;
// CHECK-NEXT: vvdiv.f32 l[0x0040 + 20*i0], l[0x0040 + 20*i0], l[0x0080] stride 0, 5 ;
// CHECK-NEXT: }
// CHECK-NEXT: @ none
