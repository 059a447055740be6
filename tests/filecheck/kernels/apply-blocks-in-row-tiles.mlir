// RUN: emu opt %s -t asm | filecheck %s
// WEIGHTS: w = [[[[1, 2], [3, 4]]], [[[5, 6], [7, 8]]], [[[1, 2], [3, 4]]], [[[5, 6], [7, 8]]]]

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %x = "pim.alloc"() <{address = 0 : i64}> : () -> memref<2x2x2xf32>
    %y = "pim.alloc"() <{address = 64 : i64}> : () -> memref<1x1x2xf32>
    %g = "pim.alloc"() <{address = 128 : i64}> : () -> memref<1x1x4xf32>
    "kernel.apply_blocks"(%x, %y, %g) <{weights = "w", origin = 1 : i64, groups = 4 : i64, epilogue = [{fn = "relu", args = []}], kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, blocks = array<i64: 1, 2, 2, 3>, height = 3 : i64, segments = array<i64: 1, 1, 1, 0>, node = "n"}> : (memref<2x2x2xf32>, memref<1x1x2xf32>, memref<1x1x4xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: group 0 f32.f32.f32 rows 3 1 cols 1
// CHECK: group 1 f32.f32.f32 rows 3 1 cols 1
// CHECK: mvmul.f32.f32 l[0x0040 + 8*i0], l[0x0080], group 0 ;
