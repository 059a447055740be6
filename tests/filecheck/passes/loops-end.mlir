// RUN: not emu opt %s -p allocate-buffers | filecheck %s

pim.core 0 {
  pim.loop 2147483648 {
    %a = pim.alloc : memref<1x1x1xf32>
  }
  pim.halt
}
// CHECK: pim.loop trips must be from 1 to 500000, not 2147483648
