// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: low = [-1]

builtin.module {
  pim.core 0 {
    %c = pim.constant {key = "low", address = 0} : memref<1x1x1xf32>
    %x = pim.alloc {address = 64} : memref<2x2x4xf32>
    %y = pim.alloc {address = 128} : memref<1x1x4xf32>
    kernel.pool ins(%x) outs(%y) constants(%c) {kind = "max", count_include_pad = 0, kernel = [1, 2], strides = [1, 1], dilations = [1, 1], pads = [0, 0, 0, 0], node = "n"} : memref<2x2x4xf32>, memref<1x1x4xf32>, memref<1x1x1xf32>
    pim.halt
  }
}
// CHECK: data 0x0000 hex "000080bf"
// CHECK: @ "n"
// CHECK-NEXT: vmv.f32 l[0x0080], l[0x0000] stride 0, 4 ;
// CHECK-NEXT: loop i0 1 { ;
// CHECK-NEXT: vvmax.f32 l[0x0080 + 16*i0], l[0x0080 + 16*i0], l[0x0040 + 16*i0], 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: loop i0 1 { ;
// CHECK-NEXT: vvmax.f32 l[0x0080 + 16*i0], l[0x0080 + 16*i0], l[0x0050 + 16*i0], 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: @ none
