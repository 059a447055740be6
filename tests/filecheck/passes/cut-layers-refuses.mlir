// RUN: not emu opt %s -p cut-layers --arch tiny --cores 1 | filecheck %s
// WEIGHTS: w = "2x80x1x1"

%x = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:80]>, form = <[1, C, H, W] with H = 2, W = 2, C = 80>} : tensor<2x2x80xf32>
%y = spat.product(%a = %x) {node = "conv", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 2)>, boxes = <[0:2, 0:2, 0:2]>} : (tensor<2x2x80xf32>) -> tensor<2x2x2xf32> {
  %f = kernel.apply_filters(%a) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:80]>, channels = <0:2>, epilogue = <relu>} : (tensor<2x2x80xf32>) -> tensor<2x2x2xf32>
  spat.yield(%f) : tensor<2x2x2xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:2, 0:2, 0:2]>, form = <[1, C, H, W] with H = 2, W = 2, C = 2>} : tensor<2x2x2xf32>

// CHECK: the network needs 5 crossbars, which take 2 cores of 4 crossbars each on architecture tiny (at most 1024 cores), but --cores is 1: use --cores 2 or larger crossbars
