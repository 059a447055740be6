// RUN: emu opt %s -p join-messages --arch tiny | filecheck %s

builtin.module {
  pim.core 0 {
    %a = pim.alloc : memref<64x64x2xf32>
    %b = pim.alloc : memref<64x64x2xf32>
    pim.load(%a) {node = "n", address = 0} : memref<64x64x2xf32>
    pim.load(%b) {node = "n", address = 0} : memref<64x64x2xf32>
    pim.send(%a) {node = "n", peer = 1, message = 0} : memref<64x64x2xf32>
    pim.send(%b) {node = "n", peer = 1, message = 1} : memref<64x64x2xf32>
    pim.halt
  }
  pim.core 1 {
    %a_1 = pim.alloc : memref<64x64x2xf32>
    %b_1 = pim.alloc : memref<64x64x2xf32>
    %c = pim.alloc : memref<64x1x2xf32>
    pim.receive(%a_1) {node = "n", peer = 0, message = 0} : memref<64x64x2xf32>
    pim.receive(%b_1) {node = "n", peer = 0, message = 1} : memref<64x64x2xf32>
    pim.load(%c) {node = "n", address = 0} : memref<64x1x2xf32>
    pim.store(%a_1) {node = "n", address = 0} : memref<64x64x2xf32>
    pim.store(%b_1) {node = "n", address = 0} : memref<64x64x2xf32>
    pim.store(%c) {node = "n", address = 0} : memref<64x1x2xf32>
    pim.halt
  }
}
// Core 1 has no room for its buffers, however they are placed: its messages, and so those of its peer, stay apart.
// CHECK: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 0
// CHECK-NEXT: pim.send(%{{[a-z0-9_]+}}) {{.+}}message = 1
// CHECK: pim.receive(%{{[a-z0-9_]+}}) {{.+}}message = 0
// CHECK-NEXT: pim.receive(%{{[a-z0-9_]+}}) {{.+}}message = 1
