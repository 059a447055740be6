// RUN: emu opt %s -p write-products --arch tiny | filecheck %s

%a = spat.input {tensor = "a", boxes = <[0:1, 0:30, 0:40]>, form = <[W, C] with H = 1, W = 30, C = 40>} : tensor<1x30x40xf32>
%b = spat.input {tensor = "b", boxes = <[0:1, 0:40, 0:20]>, form = <[W, C] with H = 1, W = 40, C = 20>} : tensor<1x40x20xf32>
%y = spat.compute(%x = %a, %k = %b) {node = "n", core = 0, tensors = ["y"], forms = <([W, C] with H = 1, W = 30, C = 20)>, boxes = <[0:1, 0:30, 0:20]>} : (tensor<1x30x40xf32>, tensor<1x40x20xf32>) -> tensor<1x30x20xf32> {
  %p = kernel.nest(%x, %k) {sizes = [30, 20, 40], iterators = ["parallel", "parallel", "reduction"], maps = [affine_map<(d0, d1, d2) -> (0, d0, d2)>, affine_map<(d0, d1, d2) -> (0, d2, d1)>, affine_map<(d0, d1, d2) -> (0, d0, d1)>], body = [{fn = "mul", type = f32, args = array<i64: 0, 1>}], combine = "add"} : (tensor<1x30x40xf32>, tensor<1x40x20xf32>) -> tensor<1x30x20xf32>
  spat.yield(%p) : tensor<1x30x20xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:1, 0:30, 0:20]>, form = <[W, C] with H = 1, W = 30, C = 20>} : tensor<1x30x20xf32>
// Three by two crossbars, and a core has four.
// CHECK-NOT: kernel.written_product
// CHECK: kernel.nest
