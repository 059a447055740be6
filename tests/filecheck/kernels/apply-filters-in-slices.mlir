// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: w = [[[[1, 2], [3, 4]]], [[[5, 6], [7, 8]]]]
// Each slice is copied and multiplied by itself, the second one on top of the first, whose row tiles work together.

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %x = "pim.alloc"() <{address = 64 : i64}> : () -> memref<3x3x1xf32>
    %y = "pim.alloc"() <{address = 128 : i64}> : () -> memref<2x2x2xf32>
    %g = "pim.alloc"() <{address = 192 : i64}> : () -> memref<1x1x3xf32>
    "kernel.apply_filters"(%x, %y, %g) <{weights = "w", kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 1, 0, 1, 3, 0, 3, 4>, slices = array<i64: 2, 1>, channels = array<i64: 0, 2>, segments = array<i64: 1, 1, 1, 0>, node = "n"}> : (memref<3x3x1xf32>, memref<2x2x2xf32>, memref<1x1x3xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: group 0 f32.f32.f32 rows 1 2 cols 2
// CHECK: group 1 f32.f32.f32 rows 1 cols 2
// CHECK: lmv l[0x00c0], l[0x0040 + 12*i0 + 4*i1], 8 ;
// CHECK-NEXT: lmv l[0x00c8], l[0x004c + 12*i0 + 4*i1], 4 ;
// CHECK-NEXT: mvmul.f32.f32 l[0x0080 + 16*i0 + 8*i1], l[0x00c0], group 0 ;
// CHECK-NEXT: mvmul.f32.f32{{.*}} l[0x0080 + 16*i0 + 8*i1], l[0x0050 + 12*i0 + 4*i1], group 1
// CHECK-NEXT: }
