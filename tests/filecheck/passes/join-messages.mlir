// RUN: emu opt %s -p join-messages,allocate-buffers --arch tiny | filecheck %s

builtin.module {
  pim.core 0 {
    %a = pim.alloc : memref<1x1x3xf32>
    %b = pim.alloc : memref<2x4x4xf32>
    %c = pim.alloc : memref<1x1x5xf32>
    pim.load(%a) {node = "n", address = 0} : memref<1x1x3xf32>
    pim.load(%b) {node = "n", address = 64} : memref<2x4x4xf32>
    pim.load(%c) {node = "n", address = 192} : memref<1x1x5xf32>
    pim.send(%a) {node = "n", peer = 1, message = 0} : memref<1x1x3xf32>
    pim.send(%b) {node = "n", peer = 1, message = 1, rows = <0:2 of 2>} : memref<2x4x4xf32>
    pim.send(%c) {node = "n", peer = 1, message = 2} : memref<1x1x5xf32>
    pim.halt
  }
  pim.core 1 {
    %d = pim.alloc : memref<1x1x3xf32>
    %e = pim.alloc : memref<2x4x4xf32>
    %f = pim.alloc : memref<1x1x5xf32>
    pim.receive(%d) {node = "n", peer = 0, message = 0} : memref<1x1x3xf32>
    pim.receive(%e) {node = "n", peer = 0, message = 1} : memref<2x4x4xf32>
    pim.store(%e) {node = "n", address = 64} : memref<2x4x4xf32>
    pim.receive(%f) {node = "n", peer = 0, message = 2} : memref<1x1x5xf32>
    pim.store(%d) {node = "n", address = 0} : memref<1x1x3xf32>
    pim.store(%f) {node = "n", address = 192} : memref<1x1x5xf32>
    pim.halt
  }
}
// Two messages are one; their buffers follow each other at both ends. Before the third, the receiver has work to do.
// CHECK: %[[A:.+]] = pim.alloc {address = 0} : memref<1x1x3xf32>
// CHECK-NEXT: %[[B:.+]] = pim.alloc {address = 12} : memref<2x4x4xf32>
// CHECK-NEXT: %[[C:.+]] = pim.alloc
// CHECK: pim.send(%[[A]], %[[B]]) {node = "n", peer = 1, message = 0, rows = <0:1 of 1, 0:2 of 2>}
// CHECK-NEXT: pim.send(%[[C]]) {node = "n", peer = 1, message = 2}
// CHECK-NEXT: pim.halt
// CHECK: %[[D:.+]] = pim.alloc {address = 0} : memref<1x1x3xf32>
// CHECK-NEXT: %[[E:.+]] = pim.alloc {address = 12} : memref<2x4x4xf32>
// CHECK: pim.receive(%[[D]], %[[E]]) {node = "n", peer = 0, message = 0, rows = <0:1 of 1, 0:2 of 2>}
// CHECK-NEXT: pim.store(%[[E]])
