// RUN: emu opt %s -t asm | filecheck %s

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %x = "pim.alloc"() <{address = 0 : i64}> : () -> memref<2x5x3xf32>
    %i = "pim.alloc"() <{address = 128 : i64}> : () -> memref<1x1x4xi32>
    %y = "pim.alloc"() <{address = 192 : i64}> : () -> memref<2x4x3xf32>
    "kernel.gather"(%x, %i, %y) <{segments = array<i64: 2, 1, 0, 0>, node = "n"}> : (memref<2x5x3xf32>, memref<1x1x4xi32>, memref<2x4x3xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: vlut.i32.f32.wrap l[0x00c0 + 48*i0], l[0x0080], l[0x0000 + 60*i0], 4, entries 5, width 3 ;
// CHECK-NEXT: }
// CHECK-NEXT: @ none
