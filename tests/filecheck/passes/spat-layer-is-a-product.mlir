// RUN: not emu opt %s -p cut-layers --arch tiny --cores 1 | filecheck %s
// WEIGHTS: w = "2x3x1x1"

%x = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:3]>, form = <[1, C, H, W] with H = 2, W = 2, C = 3>} : tensor<2x2x3xf32>
%y = spat.layer(%a = %x) {node = "conv", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 2)>, boxes = <[0:2, 0:2, 0:2]>} : (tensor<2x2x3xf32>) -> tensor<2x2x2xf32> {
  %f = kernel.apply_filters(%a) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:3]>, channels = <0:2>} : (tensor<2x2x3xf32>) -> tensor<2x2x2xf32>
  spat.yield(%f) : tensor<2x2x2xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:2, 0:2, 0:2]>, form = <[1, C, H, W] with H = 2, W = 2, C = 2>} : tensor<2x2x2xf32>

// CHECK: line 5: spat.layer multiplies, so it is a spat.product
