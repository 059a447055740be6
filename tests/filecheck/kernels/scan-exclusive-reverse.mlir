// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: zero = [[[0]]]

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<1x4x3xf32>
    %y = pim.alloc {address = 128} : memref<1x4x3xf32>
    %zero = pim.constant {key = "zero", address = 256} : memref<1x1x1xf32>
    kernel.scan ins(%x) outs(%y) constants(%zero) {axis = 2, exclusive = 1, reverse = 1, node = "n"} : memref<1x4x3xf32>, memref<1x4x3xf32>, memref<1x1x1xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: vmv.f32 l[0x0088] stride 3, l[0x0100] stride 0, 4 ;
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: vvadd.f32 l[0x0084 - 4*i0] stride 3, l[0x0088 - 4*i0] stride 3, l[0x0008 - 4*i0] stride 3, 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: @ none
