// RUN: emu opt %s -p allocate-buffers --arch tiny | filecheck %s
// WEIGHTS: k = [1]

builtin.module {
  pim.core 0 {
    %a = pim.alloc {address = 512} : memref<4x4x4xf32>
    %b = pim.alloc {address = 1024} : memref<4x4x4xf32>
    kernel.activation ins(%a) outs(%b) {epilogue = <>, node = "b"} : memref<4x4x4xf32>, memref<4x4x4xf32>
    pim.halt
  }
}
// A core whose buffers all have addresses is left as it is.
// CHECK: %a = pim.alloc {address = 512}
// CHECK-NEXT: %b = pim.alloc {address = 1024}
