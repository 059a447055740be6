// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: lowest = [[[-1]]]

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 64} : memref<3x9x9x4xf32>
    %y = pim.alloc {address = 4096} : memref<3x1x1x4xf32>
    %c = pim.constant {key = "lowest", address = 0} : memref<1x1x1xf32>
    kernel.pool ins(%x) outs(%y) constants(%c) {kind = "max", count_include_pad = 0, kernel = [1, 9, 9], strides = [1, 1, 1], dilations = [1, 1, 1], pads = [0, 0, 0, 0, 0, 0], node = "n"} : memref<3x9x9x4xf32>, memref<3x1x1x4xf32>, memref<1x1x1xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: loop i0 3 { ;
// CHECK-NEXT: loop i1 1 { ;
// CHECK-NEXT: vmv.f32 l[0x1000 + 16*i0 + 16*i1], l[0x0000] stride 0, 4 ;
// CHECK-NEXT: loop i2 81 { ;
// CHECK-NEXT: vvmax.f32 l[0x1000 + 16*i0 + 16*i1], l[0x1000 + 16*i0 + 16*i1], l[0x0040 + 1296*i0 + 16*i1 + 16*i2], 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: @ none
