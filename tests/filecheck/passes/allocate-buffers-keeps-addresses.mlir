// RUN: emu opt %s -p allocate-buffers --arch tiny | filecheck %s
// WEIGHTS: k = [1]

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %a = "pim.alloc"() <{address = 512 : i64}> : () -> memref<4x4x4xf32>
    %b = "pim.alloc"() <{address = 1024 : i64}> : () -> memref<4x4x4xf32>
    "kernel.activation"(%a, %b) <{epilogue = [], segments = array<i64: 1, 1, 0, 0>, node = "b"}> : (memref<4x4x4xf32>, memref<4x4x4xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// A core whose buffers all have addresses is left as it is.
// CHECK: %a = pim.alloc {address = 512}
// CHECK-NEXT: %b = pim.alloc {address = 1024}
