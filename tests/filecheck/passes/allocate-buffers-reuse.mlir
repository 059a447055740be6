// RUN: emu opt %s -p allocate-buffers --arch tiny | filecheck %s
// WEIGHTS: k = [1]

builtin.module {
  pim.core 0 {
    %a = pim.alloc : memref<4x4x4xf32>
    %b = pim.alloc : memref<4x4x4xf32>
    %c = pim.alloc : memref<4x4x4xf32>
    kernel.activation ins(%a) outs(%b) {epilogue = <>, node = "b"} : memref<4x4x4xf32>, memref<4x4x4xf32>
    kernel.activation ins(%b) outs(%c) {epilogue = <>, node = "c"} : memref<4x4x4xf32>, memref<4x4x4xf32>
    pim.halt
  }
}
// Nothing needs %a when %c is made: both have the same bytes, and %b others.
// CHECK: %a = pim.alloc {address = 0}
// CHECK-NEXT: %b = pim.alloc {address = 256}
// CHECK-NEXT: %c = pim.alloc {address = 0}
