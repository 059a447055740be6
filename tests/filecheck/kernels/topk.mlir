// RUN: emu opt %s -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<2x5x3xf32>
    %y = pim.alloc {address = 128} : memref<2x4x3xf32>
    %i = pim.alloc {address = 256} : memref<2x4x3xi64>
    kernel.topk ins(%x) outs(%y, %i) {largest = 0, node = "n"} : memref<2x5x3xf32>, memref<2x4x3xf32>, memref<2x4x3xi64>
    pim.halt
  }
}
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 3 { ;
// CHECK-NEXT: vtopk.f32.i64.low l[0x0080 + 48*i0 + 4*i1] stride 3, l[0x0100 + 96*i0 + 8*i1] stride 3, l[0x0000 + 60*i0 + 4*i1] stride 3, 5, 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: @ none
