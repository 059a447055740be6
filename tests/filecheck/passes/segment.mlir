// RUN: emu opt %s -p segment,cut-layers --arch tiny --cores 1 | filecheck %s
// WEIGHTS: w = "98x2x1x1"

%x = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:2]>, form = <[1, C, H, W] with H = 2, W = 2, C = 2>} : tensor<2x2x2xf32>
%y = spat.product(%a = %x) {node = "conv", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 98)>, boxes = <[0:2, 0:2, 0:98]>} : (tensor<2x2x2xf32>) -> tensor<2x2x98xf32> {
  %f = kernel.apply_filters(%a) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:2]>, channels = <0:98>} : (tensor<2x2x2xf32>) -> tensor<2x2x98xf32>
  spat.yield(%f) : tensor<2x2x98xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:2, 0:2, 0:98]>, form = <[1, C, H, W] with H = 2, W = 2, C = 98>} : tensor<2x2x98xf32>
// Seven column tiles on four crossbars: three stay, the others come one by one on the fourth.
// CHECK: spat.compute(%{{[^ ]+}} = %[[X:[^,)]+]]) {node = "conv", tensors = ["y", "y", "y"], {{.+}}core = 0}
// CHECK: kernel.apply_filters({{.+}}channels = <0:16, 16:32, 32:48>}
// CHECK: spat.compute(%{{[^ ]+}} = %[[X]]) {{{.+}}core = 0, segment = 0}
// CHECK: kernel.apply_filters({{.+}}channels = <48:64>}
// CHECK: spat.compute(%{{[^ ]+}} = %[[X]]) {{{.+}}core = 0, segment = 1}
// CHECK: spat.compute(%{{[^ ]+}} = %[[X]]) {{{.+}}core = 0, segment = 2}
// CHECK: spat.compute(%{{[^ ]+}} = %[[X]]) {{{.+}}core = 0, segment = 3}
// CHECK: kernel.apply_filters({{.+}}channels = <96:98>}
