// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: c = [[[8]]]

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %c = "pim.constant"() <{key = "c", address = 0 : i64}> : () -> memref<1x1x1xf32>
    %x = "pim.alloc"() <{address = 64 : i64}> : () -> memref<2x2x3xf32>
    %y = "pim.alloc"() <{address = 128 : i64}> : () -> memref<2x2x3xf32>
    "kernel.elementwise"(%x, %y, %c) <{fn = "div", constant = "c", constant_first = 1 : i64, offsets = array<i64: 0, 0, 0>, segments = array<i64: 1, 1, 0, 1>, node = "n"}> : (memref<2x2x3xf32>, memref<2x2x3xf32>, memref<1x1x1xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: data 0x0000 hex "00000041"
// CHECK: @ "n"
// CHECK-NEXT: vvdiv.f32 l[0x0080], l[0x0000] stride 0, l[0x0040], 12 ;
// CHECK-NEXT: @ none
