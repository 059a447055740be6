// RUN: emu opt %s -p cut-layers --arch tiny --cores 2 | filecheck %s
// WEIGHTS: w = "18x2x1x1"

%x = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:2]>, form = <[1, C, H, W] with H = 2, W = 2, C = 2>} : tensor<2x2x2xf32>
%y = spat.product(%a = %x) {node = "conv", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 18)>, boxes = <[0:2, 0:2, 0:18]>} : (tensor<2x2x2xf32>) -> tensor<2x2x18xf32> {
  %f = kernel.apply_filters(%a) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:2]>, channels = <0:18>} : (tensor<2x2x2xf32>) -> tensor<2x2x18xf32>
  spat.yield(%f) : tensor<2x2x18xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:2, 0:2, 0:18]>, form = <[1, C, H, W] with H = 2, W = 2, C = 18>} : tensor<2x2x18xf32>
// 18 filters are two column tiles: each core makes channels of its own.
// CHECK: %[[L:.+]] = spat.compute(%{{[^ ]+}} = %[[X:[^,)]+]]) {node = "conv", tensors = ["y"], {{.+}}boxes = <[0:2, 0:2, 0:16]>, cluster = 0}
// CHECK: kernel.apply_filters({{.+}}tiles = <0[0:2]>, channels = <0:16>}
// CHECK: %[[R:.+]] = spat.compute(%{{[^ ]+}} = %[[X]]) {node = "conv", tensors = ["y"], {{.+}}boxes = <[0:2, 0:2, 16:18]>, cluster = 1}
// CHECK: kernel.apply_filters({{.+}}tiles = <0[0:2]>, channels = <16:18>}
// CHECK: spat.output(%[[L]], %[[R]]) {{{.*}}tensor = "y", boxes = <[0:2, 0:2, 0:16], [0:2, 0:2, 16:18]>
