// RUN: emu opt %s -p join-messages --arch tiny | filecheck %s

builtin.module {
  pim.core 0 {
    %a = pim.alloc : memref<2x1x4xf32>
    %b = pim.alloc : memref<1x1x4xf32>
    %k = pim.alloc : memref<1x1x4xi32>
    pim.send(%a) {node = "n", peer = 1, message = 0, rows = <0:1 of 2>} : memref<2x1x4xf32>
    pim.send(%b) {node = "n", peer = 1, message = 1} : memref<1x1x4xf32>
    pim.send(%k) {node = "n", peer = 1, message = 2} : memref<1x1x4xi32>
    pim.loop 2 {
      pim.send(%b) {node = "n", peer = 1, message = 3} : memref<1x1x4xf32>
      pim.send(%b) {node = "n", peer = 1, message = 4} : memref<1x1x4xf32>
    }
    pim.halt
  }
  pim.core 1 {
    %a_1 = pim.alloc : memref<2x1x4xf32>
    %b_1 = pim.alloc : memref<1x1x4xf32>
    %k_1 = pim.alloc : memref<1x1x4xi32>
    pim.receive(%a_1) {node = "n", peer = 0, message = 0, rows = <0:1 of 2>} : memref<2x1x4xf32>
    pim.receive(%b_1) {node = "n", peer = 0, message = 1} : memref<1x1x4xf32>
    pim.receive(%k_1) {node = "n", peer = 0, message = 2} : memref<1x1x4xi32>
    pim.loop 2 {
      pim.receive(%b_1) {node = "n", peer = 0, message = 3} : memref<1x1x4xf32>
      pim.receive(%b_1) {node = "n", peer = 0, message = 4} : memref<1x1x4xf32>
    }
    pim.halt
  }
}
// Some rows of a buffer, elements of another type, and messages in a loop stay by themselves.
// CHECK: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 0
// CHECK-NEXT: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 1
// CHECK-NEXT: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 2
// CHECK-NEXT: pim.loop
// CHECK-NEXT: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 3
// CHECK-NEXT: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 4
