// RUN: emu opt %s -p write-products --arch tiny | filecheck %s

%a = spat.input {tensor = "a", boxes = <[0:2, 0:3, 0:20]>, form = <[H, W, C] with H = 2, W = 3, C = 20>} : tensor<2x3x20xf32>
%b = spat.input {tensor = "b", boxes = <[0:2, 0:20, 0:5]>, form = <[H, W, C] with H = 2, W = 20, C = 5>} : tensor<2x20x5xf32>
%y = spat.compute(%x = %a, %k = %b) {node = "n", core = 0, tensors = ["y"], forms = <([H, W, C] with H = 2, W = 3, C = 5)>, boxes = <[0:2, 0:3, 0:5]>} : (tensor<2x3x20xf32>, tensor<2x20x5xf32>) -> tensor<2x3x5xf32> {
  %p = kernel.nest(%x, %k) {sizes = [2, 3, 5, 20], iterators = ["parallel", "parallel", "parallel", "reduction"], maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], body = [{fn = "mul", type = f32, args = array<i64: 0, 1>}], combine = "add"} : (tensor<2x3x20xf32>, tensor<2x20x5xf32>) -> tensor<2x3x5xf32>
  spat.yield(%p) : tensor<2x3x5xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:2, 0:3, 0:5]>, form = <[H, W, C] with H = 2, W = 3, C = 5>} : tensor<2x3x5xf32>
// Of 3 x 20 and 20 x 5 elements those on the left are fewer; a core of this chip has 4 crossbars, two for each of two samples.
// CHECK: kernel.written_product(%x, %k) {sizes = [2, 3, 5, 20], {{.+}}operand = 0, crossbar = [16, 16], bank = 0, groups = 2, stays = 0}
