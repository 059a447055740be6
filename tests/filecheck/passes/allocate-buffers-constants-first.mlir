// RUN: emu opt %s -p allocate-buffers --arch tiny | filecheck %s
// WEIGHTS: k = [[[1]]]

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %a = "pim.alloc"() : () -> memref<1x1x3xf32>
    %b = "pim.alloc"() : () -> memref<1x1x3xf32>
    %k = "pim.constant"() <{key = "k"}> : () -> memref<1x1x1xf32>
    "kernel.elementwise"(%a, %b, %k) <{fn = "add", constant = "k", offsets = array<i64: 0, 0, 0>, segments = array<i64: 1, 1, 0, 1>, node = "n"}> : (memref<1x1x3xf32>, memref<1x1x3xf32>, memref<1x1x1xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// Constants lie below all buffers, which share no byte with them; everything begins at a multiple of 64.
// CHECK: %a = "pim.alloc"() <{address = 64 : i64}>
// CHECK-NEXT: %b = "pim.alloc"() <{address = 128 : i64}>
// CHECK-NEXT: %k = "pim.constant"() <{key = "k", address = 0 : i64}>
