// RUN: emu opt %s -p allocate-buffers --arch tiny | filecheck %s
// WEIGHTS: k = [[[1]]]

builtin.module {
  pim.core 0 {
    %a = pim.alloc : memref<1x1x3xf32>
    %b = pim.alloc : memref<1x1x3xf32>
    %k = pim.constant {key = "k"} : memref<1x1x1xf32>
    kernel.nest ins(%a) outs(%b) constants(%k) {sizes = [3], iterators = ["parallel"], maps = [affine_map<(d0) -> (0, 0, d0)>, affine_map<(d0) -> (0, 0, 0)>, affine_map<(d0) -> (0, 0, d0)>], body = [{fn = "add", type = f32, args = array<i64: 0, 1>}], arrays = ["k"], types = [f32], node = "n"} : memref<1x1x3xf32>, memref<1x1x3xf32>, memref<1x1x1xf32>
    pim.halt
  }
}
// Constants lie below all buffers, which share no byte with them; everything begins at a multiple of 64.
// CHECK: %a = pim.alloc {address = 64}
// CHECK-NEXT: %b = pim.alloc {address = 128}
// CHECK-NEXT: %k = pim.constant {key = "k", address = 0}
