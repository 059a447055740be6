// RUN: emu opt %s -p allocate-buffers --arch tiny | filecheck %s
// WEIGHTS: k = [1]

builtin.module {
  pim.core 0 {
    %a = pim.alloc : memref<1x1x4xf32>
    %b = pim.alloc : memref<4x4x4xf32>
    kernel.concat ins(%a) outs(%b) {parts = <[0:1, 0:1, 0:4] at [0, 0, 0]>, node = "n"} : memref<1x1x4xf32>, memref<4x4x4xf32>
    pim.halt
  }
}
// The largest is placed first, at address 0.
// CHECK: %a = pim.alloc {address = 256}
// CHECK-NEXT: %b = pim.alloc {address = 0}
