// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 64} : memref<2x2x4xf32>
    %y = pim.alloc {address = 128} : memref<1x1x4xf32>
    kernel.pool ins(%x) outs(%y) {kind = "average", count_include_pad = 0, kernel = [2, 2], strides = [1, 1], dilations = [1, 1], pads = [0, 0, 0, 0], node = "n"} : memref<2x2x4xf32>, memref<1x1x4xf32>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: loop i0 4 { ;
// CHECK-NEXT: vavg.f32 l[0x0080 + 4*i0], l[0x0040 + 4*i0] stride 4, 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: @ none
