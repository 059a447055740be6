// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<1x2x5xf32>
    %y = pim.alloc {address = 64} : memref<1x2x3xf32>
    %q = pim.alloc {address = 128} : memref<1x1x5xf32>
    %s = pim.alloc {address = 192} : memref<1x1x3xf32>
    kernel.lrn ins(%x) outs(%y) scratch(%q, %s) {size = 3, alpha = 6.000000e+00, beta = 5.000000e-01, bias = 1.000000e+00, halo = 1, node = "n"} : memref<1x2x5xf32>, memref<1x2x3xf32>, memref<1x1x5xf32>, memref<1x1x3xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: vvmul.f32 l[0x0080], l[0x0000 + 20*i0], l[0x0000 + 20*i0], 5 ;
// CHECK-NEXT: lldi l[0x00c0], 0, 12 ;
// CHECK-NEXT: vvadd.f32 l[0x00c0], l[0x00c0], l[0x0080], 3 ;
// CHECK-NEXT: vvadd.f32 l[0x00c0], l[0x00c0], l[0x0084], 3 ;
// CHECK-NEXT: vvadd.f32 l[0x00c0], l[0x00c0], l[0x0088], 3 ;
// CHECK-NEXT: vsmul.f32 l[0x00c0], l[0x00c0], 3, 2 ;
// CHECK-NEXT: vsadd.f32 l[0x00c0], l[0x00c0], 3, 1 ;
// CHECK-NEXT: vspow.f32 l[0x00c0], l[0x00c0], 3, 0.5 ;
// CHECK-NEXT: vvdiv.f32 l[0x0040 + 12*i0], l[0x0004 + 20*i0], l[0x00c0], 3 ;
// CHECK-NEXT: }
// CHECK-NEXT: @ none
