// RUN: emu opt %s -p join-messages,allocate-buffers --arch tiny -t asm | filecheck %s

builtin.module {
  pim.core 0 {
    %a = pim.alloc : memref<1x1x16xf32>
    %b = pim.alloc : memref<1x1x16xf32>
    %c = pim.alloc : memref<1x1x16xf32>
    pim.load(%a) {node = "n", address = 0} : memref<1x1x16xf32>
    pim.load(%b) {node = "n", address = 64} : memref<1x1x16xf32>
    pim.load(%c) {node = "n", address = 128} : memref<1x1x16xf32>
    pim.send(%a) {node = "n", peer = 1, message = 0} : memref<1x1x16xf32>
    pim.send(%b) {node = "n", peer = 1, message = 1} : memref<1x1x16xf32>
    pim.send(%b) {node = "n", peer = 2, message = 2} : memref<1x1x16xf32>
    pim.send(%c) {node = "n", peer = 2, message = 3} : memref<1x1x16xf32>
    pim.send(%a) {node = "n", peer = 3, message = 4} : memref<1x1x16xf32>
    pim.send(%c) {node = "n", peer = 3, message = 5} : memref<1x1x16xf32>
    pim.halt
  }
  pim.core 1 {
    %d = pim.alloc : memref<1x1x16xf32>
    %e = pim.alloc : memref<1x1x16xf32>
    pim.receive(%d) {node = "n", peer = 0, message = 0} : memref<1x1x16xf32>
    pim.receive(%e) {node = "n", peer = 0, message = 1} : memref<1x1x16xf32>
    pim.halt
  }
  pim.core 2 {
    %d_1 = pim.alloc : memref<1x1x16xf32>
    %e_1 = pim.alloc : memref<1x1x16xf32>
    pim.receive(%d_1) {node = "n", peer = 0, message = 2} : memref<1x1x16xf32>
    pim.receive(%e_1) {node = "n", peer = 0, message = 3} : memref<1x1x16xf32>
    pim.halt
  }
  pim.core 3 {
    %d_2 = pim.alloc : memref<1x1x16xf32>
    %e_2 = pim.alloc : memref<1x1x16xf32>
    pim.receive(%d_2) {node = "n", peer = 0, message = 4} : memref<1x1x16xf32>
    pim.receive(%e_2) {node = "n", peer = 0, message = 5} : memref<1x1x16xf32>
    pim.halt
  }
}
// Of three buffers in one order, the first and the second are one run, the second and the third, but not the first and the third.
// CHECK: send core 1, l[0x0000], 128 ;
// CHECK: send core 2, l[0x0040], 128 ;
// CHECK: send core 3, l[0x0000], 64 ;
// CHECK: send core 3, l[0x0080], 64 ;
