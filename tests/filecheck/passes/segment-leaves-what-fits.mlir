// RUN: emu opt %s -p segment --arch tiny --cores 2 | filecheck %s
// WEIGHTS: w = "98x2x1x1"

%x = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:2]>, form = <[1, C, H, W] with H = 2, W = 2, C = 2>} : tensor<2x2x2xf32>
%y = spat.product(%a = %x) {node = "conv", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 98)>, boxes = <[0:2, 0:2, 0:98]>} : (tensor<2x2x2xf32>) -> tensor<2x2x98xf32> {
  %f = kernel.apply_filters(%a) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:2]>, channels = <0:98>} : (tensor<2x2x2xf32>) -> tensor<2x2x98xf32>
  spat.yield(%f) : tensor<2x2x98xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:2, 0:2, 0:98]>, form = <[1, C, H, W] with H = 2, W = 2, C = 98>} : tensor<2x2x98xf32>
// CHECK: spat.product
// CHECK-NOT: pieces
