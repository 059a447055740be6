// RUN: emu opt %s -p cut-layers --arch tiny --cores 3 --placement scatter | filecheck %s
// WEIGHTS: w = "2x40x1x1"

%x = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:40]>, form = <[1, C, H, W] with H = 2, W = 2, C = 40>} : tensor<2x2x40xf32>
%y = spat.product(%a = %x) {node = "conv", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 2)>, boxes = <[0:2, 0:2, 0:2]>} : (tensor<2x2x40xf32>) -> tensor<2x2x2xf32> {
  %f = kernel.apply_filters(%a) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:40]>, channels = <0:2>, epilogue = <relu>} : (tensor<2x2x40xf32>) -> tensor<2x2x2xf32>
  spat.yield(%f) : tensor<2x2x2xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:2, 0:2, 0:2]>, form = <[1, C, H, W] with H = 2, W = 2, C = 2>} : tensor<2x2x2xf32>
// Partial sums are added one after another, in the order of the row tiles; only the last sum is activated.
// CHECK: %[[P:.+]] = spat.compute({{.+}}part = "row tiles 0-0 of 3", cluster = 0}
// CHECK: %[[Q:.+]] = spat.compute({{.+}}part = "row tiles 1-1 of 3", cluster = 1}
// CHECK: %[[R:.+]] = spat.compute({{.+}}part = "row tiles 2-2 of 3", cluster = 2}
// CHECK: %[[S:.+]] = spat.compute(%{{[^ ]+}} = %[[P]], %{{[^ ]+}} = %[[Q]]) {node = "conv", tensors = [""], {{.+}}part = "partial sum 1 of 2", cluster = 0}
// CHECK: kernel.vadd({{.+}}) {channels = <0:2>}
// CHECK: spat.compute(%{{[^ ]+}} = %[[S]], %{{[^ ]+}} = %[[R]]) {node = "conv", tensors = ["y"], {{.+}}part = "partial sum 2 of 2", cluster = 0}
// CHECK: kernel.vadd({{.+}}) {channels = <0:2>, epilogue = <relu>}
