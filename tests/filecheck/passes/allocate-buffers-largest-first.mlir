// RUN: emu opt %s -p allocate-buffers --arch tiny | filecheck %s
// WEIGHTS: k = [1]

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %a = "pim.alloc"() : () -> memref<1x1x4xf32>
    %b = "pim.alloc"() : () -> memref<4x4x4xf32>
    "kernel.concat"(%a, %b) <{origins = array<i64: 0, 0, 0>, starts = array<i64: 0, 0, 0>, sizes = array<i64: 1, 1, 4>, segments = array<i64: 1, 1, 0, 0>, node = "n"}> : (memref<1x1x4xf32>, memref<4x4x4xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// The largest is placed first, at address 0.
// CHECK: %a = pim.alloc {address = 256}
// CHECK-NEXT: %b = pim.alloc {address = 0}
