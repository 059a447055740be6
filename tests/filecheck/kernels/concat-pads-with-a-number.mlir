// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: half = [[[0.5]]]

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<2x2x3xf32>
    %y = pim.alloc {address = 128} : memref<4x3x3xf32>
    %half = pim.constant {key = "half", address = 512} : memref<1x1x1xf32>
    kernel.concat ins(%x) outs(%y) constants(%half) {parts = <[0:2, 0:2, 0:3] at [1, 1, 0]>, fill = 5.000000e-01, node = "n"} : memref<2x2x3xf32>, memref<4x3x3xf32>, memref<1x1x1xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: vmv.f32 l[0x0080], l[0x0200] stride 0, 12 ;
// CHECK-NEXT: vmv.f32 l[0x00c8], l[0x0200] stride 0, 3 ;
// CHECK-NEXT: vmv.f32 l[0x00ec], l[0x0200] stride 0, 9 ;
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: lmv l[0x00b0 + 36*i0], l[0x0000 + 24*i0], 24 ;
// CHECK-NEXT: }
// CHECK-NEXT: @ none
