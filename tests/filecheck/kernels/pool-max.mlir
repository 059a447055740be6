// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: low = [-1]

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %c = "pim.constant"() <{key = "low", address = 0 : i64}> : () -> memref<1x1x1xf32>
    %x = "pim.alloc"() <{address = 64 : i64}> : () -> memref<2x2x4xf32>
    %y = "pim.alloc"() <{address = 128 : i64}> : () -> memref<1x1x4xf32>
    "kernel.pool"(%x, %y, %c) <{kind = "max", count_include_pad = 0 : i64, kernel = array<i64: 1, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, segments = array<i64: 1, 1, 0, 1>, node = "n"}> : (memref<2x2x4xf32>, memref<1x1x4xf32>, memref<1x1x1xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
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
