// RUN: emu opt %s -p allocate-buffers --arch tiny | filecheck %s
// WEIGHTS: k = [1]

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %a = "pim.alloc"() : () -> memref<1x1x4xf32>
    %b = "pim.alloc"() : () -> memref<1x1x4xf32>
    %c = "pim.alloc"() : () -> memref<8x8x4xf32>
    %d = "pim.alloc"() : () -> memref<8x8x4xf32>
    "kernel.activation"(%a, %b) <{epilogue = [], segments = array<i64: 1, 1, 0, 0>, node = "b"}> : (memref<1x1x4xf32>, memref<1x1x4xf32>) -> ()
    "kernel.activation"(%c, %d) <{epilogue = [], segments = array<i64: 1, 1, 0, 0>, node = "d"}> : (memref<8x8x4xf32>, memref<8x8x4xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// The largest are placed first, from address 0 on.
// CHECK: %a = "pim.alloc"() <{address = 0 : i64}>
// CHECK-NEXT: %b = "pim.alloc"() <{address = 64 : i64}>
// CHECK-NEXT: %c = "pim.alloc"() <{address = 0 : i64}>
// CHECK-NEXT: %d = "pim.alloc"() <{address = 1024 : i64}>
