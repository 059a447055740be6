// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: counts = [[[1], [2], [1]]]

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 64} : memref<2x2x4xf32>
    %y = pim.alloc {address = 128} : memref<2x3x4xf32>
    %c = pim.constant {key = "counts", address = 256} : memref<1x3x1xf32>
    kernel.pool ins(%x) outs(%y) constants(%c) {kind = "average", count_include_pad = 0, kernel = [1, 2], strides = [1, 1], dilations = [1, 1], pads = [0, 1, 0, 1], node = "n"} : memref<2x2x4xf32>, memref<2x3x4xf32>, memref<1x3x1xf32>
    pim.halt
  }
}
// CHECK: data 0x0100 hex "0000803f000000400000803f"
// CHECK: @ "n"
// CHECK-NEXT: lldi l[0x0080], 0, 96 ;
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 2 { ;
// CHECK-NEXT: vvadd.f32 l[0x0090 + 48*i0 + 16*i1], l[0x0090 + 48*i0 + 16*i1], l[0x0040 + 32*i0 + 16*i1], 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 2 { ;
// CHECK-NEXT: vvadd.f32 l[0x0080 + 48*i0 + 16*i1], l[0x0080 + 48*i0 + 16*i1], l[0x0040 + 32*i0 + 16*i1], 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 3 { ;
// CHECK-NEXT: vvdiv.f32 l[0x0080 + 48*i0 + 16*i1], l[0x0080 + 48*i0 + 16*i1], l[0x0100 + 4*i1] stride 0, 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: @ none
