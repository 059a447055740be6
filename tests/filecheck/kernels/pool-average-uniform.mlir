// RUN: emu opt %s -t asm | filecheck %s

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %x = "pim.alloc"() <{address = 64 : i64}> : () -> memref<1x4x4xf32>
    %y = "pim.alloc"() <{address = 128 : i64}> : () -> memref<1x2x4xf32>
    "kernel.pool"(%x, %y) <{kind = "average", count_include_pad = 0 : i64, kernel = array<i64: 1, 2>, strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, segments = array<i64: 1, 1, 0, 0>, node = "n"}> : (memref<1x4x4xf32>, memref<1x2x4xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: @ "n"
// CHECK-NEXT: lldi l[0x0080], 0, 32 ;
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: vvadd.f32 l[0x0080 + 16*i0], l[0x0080 + 16*i0], l[0x0040 + 32*i0], 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: vvadd.f32 l[0x0080 + 16*i0], l[0x0080 + 16*i0], l[0x0050 + 32*i0], 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: vsdiv.f32 l[0x0080], l[0x0080], 8, 2 ;
// CHECK-NEXT: @ none
