// RUN: not emu opt %s -p allocate-buffers --arch tiny | filecheck %s
// WEIGHTS: k = [1]

builtin.module {
  pim.core 0 {
    %a = pim.alloc : memref<64x64x4xf32>
    %b = pim.alloc : memref<64x64x4xf32>
    kernel.activation ins(%a) outs(%b) {epilogue = <>, node = "b"} : memref<64x64x4xf32>, memref<64x64x4xf32>
    pim.halt
  }
}
// CHECK: core 0 needs 131072 bytes of local memory at node b, but architecture tiny has 65536 per core: use --granularity auto
