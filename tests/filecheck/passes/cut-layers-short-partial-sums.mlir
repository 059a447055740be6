// RUN: emu opt %s -p cut-layers --arch tiny --cores 3 --placement scatter | filecheck %s
// WEIGHTS: w = "24x40x1x1"

%x = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:40]>, form = <[1, C, H, W] with H = 2, W = 2, C = 40>} : tensor<2x2x40xf32>
%y = spat.product(%a = %x) {node = "conv", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 24)>, boxes = <[0:2, 0:2, 0:24]>} : (tensor<2x2x40xf32>) -> tensor<2x2x24xf32> {
  %f = kernel.apply_filters(%a) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:40]>, channels = <0:24>, epilogue = <relu>} : (tensor<2x2x40xf32>) -> tensor<2x2x24xf32>
  spat.yield(%f) : tensor<2x2x24xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:2, 0:2, 0:24]>, form = <[1, C, H, W] with H = 2, W = 2, C = 24>} : tensor<2x2x24xf32>
// Two columns of few bytes are added on one core, so that what comes from another one is one message.
// CHECK: %[[P:.+]], %[[P1:.+]] = spat.compute({{.+}}part = "row tiles 0-0 of 3", cluster = 0}
// CHECK: %[[Q:.+]], %[[Q1:.+]] = spat.compute({{.+}}part = "row tiles 1-1 of 3", cluster = 1}
// CHECK: %[[R:.+]], %[[R1:.+]] = spat.compute({{.+}}part = "row tiles 2-2 of 3", cluster = 2}
// CHECK: %[[S:.+]], %[[S1:.+]] = spat.compute(%{{[^ ]+}} = %[[P]], %{{[^ ]+}} = %[[Q]], %{{[^ ]+}} = %[[P1]], %{{[^ ]+}} = %[[Q1]]) {node = "conv", tensors = ["", ""], {{.+}}part = "partial sum 1 of 2", cluster = 0}
// CHECK: kernel.vadd({{.+}}) {channels = <0:16>}
// CHECK: kernel.vadd({{.+}}) {channels = <16:24>}
// CHECK: spat.compute(%{{[^ ]+}} = %[[S]], %{{[^ ]+}} = %[[R]], %{{[^ ]+}} = %[[S1]], %{{[^ ]+}} = %[[R1]]) {node = "conv", tensors = ["y", "y"], {{.+}}part = "partial sum 2 of 2", cluster = 0}
// CHECK: kernel.vadd({{.+}}) {channels = <16:24>, epilogue = <relu>}
