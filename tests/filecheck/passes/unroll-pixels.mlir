// RUN: emu opt %s -p unroll-pixels --arch tiny | filecheck %s
// WEIGHTS: w = "2x1x2x1"

%x = spat.input {tensor = "x", boxes = <[0:2, 0:1, 0:1]>, form = <[1, C, H, W] with H = 2, W = 1, C = 1>} : tensor<2x1x1xf32>
%y = spat.compute(%a = %x) {node = "conv", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 1, C = 2)>, boxes = <[0:2, 0:1, 0:2]>} : (tensor<2x1x1xf32>) -> tensor<2x1x2xf32> {
  %p = kernel.concat(%a) {parts = <[0:2, 0:1, 0:1] at [1, 0, 0]>} : (tensor<2x1x1xf32>) -> tensor<3x1x1xf32>
  %f = kernel.apply_filters(%p) {weights = "w", kernel = [2, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:2]>, channels = <0:2>} : (tensor<3x1x1xf32>) -> tensor<2x1x2xf32>
  spat.yield(%f) : tensor<2x1x2xf32>
}
%z = spat.compute(%b = %y) {node = "relu", tensors = ["z"], forms = <([1, C, H, W] with H = 2, W = 1, C = 2)>, boxes = <[0:2, 0:1, 0:2]>} : (tensor<2x1x2xf32>) -> tensor<2x1x2xf32> {
  %g = kernel.activation(%b) {epilogue = <relu>} : (tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  spat.yield(%g) : tensor<2x1x2xf32>
}
spat.output(%z) {element = f32, tensor = "z", boxes = <[0:2, 0:1, 0:2]>, form = <[1, C, H, W] with H = 2, W = 1, C = 2>} : tensor<2x1x2xf32>
// The window of each pixel is put together, padding left out, and its product is a result of its own; what is no
// product gets all pixels put together again.
// CHECK: %[[X:.+]] = spat.input
// CHECK: %[[P:.+]], %[[Q:.+]] = spat.compute(%{{[^ ]+}} = %[[X]]) {{.+}}boxes = <[0:1, 0:1, 0:2], [1:2, 0:1, 0:2]>
// CHECK: %[[V:.+]] = kernel.concat(%[[A:.+]]) {parts = <[0:1, 0:1, 0:1] at [1, 0, 0]>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
// CHECK: %[[F:.+]] = kernel.apply_filters(%[[V]]) {{.+}}unit = 0
// CHECK: %[[W:.+]] = kernel.concat(%[[A]], %[[A]]) {parts = <[0:1, 0:1, 0:1] at [0, 0, 0], [1:2, 0:1, 0:1] at [1, 0, 0]>}
// CHECK: %[[G:.+]] = kernel.apply_filters(%[[W]]) {{.+}}unit = 0
// CHECK: spat.yield(%[[F]], %[[G]])
// CHECK: spat.compute(%{{[^ ]+}} = %[[P]], %{{[^ ]+}} = %[[Q]]) {node = "relu"
// CHECK: kernel.concat({{.+}}) {parts = <[0:1, 0:1, 0:2] at [0, 0, 0], [0:1, 0:1, 0:2] at [1, 0, 0]>}
