// RUN: emu opt %s -p cut-layers --arch tiny --cores 2 | filecheck %s
// WEIGHTS: w = "2x40x1x1"

%x = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:40]>, form = <[1, C, H, W] with H = 2, W = 2, C = 40>} : tensor<2x2x40xf32>
%y = spat.product(%a = %x) {node = "conv", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 2)>, boxes = <[0:2, 0:2, 0:2]>} : (tensor<2x2x40xf32>) -> tensor<2x2x2xf32> {
  %f = kernel.apply_filters(%a) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:40]>, channels = <0:2>, epilogue = <relu>} : (tensor<2x2x40xf32>) -> tensor<2x2x2xf32>
  spat.yield(%f) : tensor<2x2x2xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:2, 0:2, 0:2]>, form = <[1, C, H, W] with H = 2, W = 2, C = 2>} : tensor<2x2x2xf32>
// Three row tiles of at most 16 channels, shared by two cores; the sum stands beside one of its operands.
// CHECK: %[[A:.+]] = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:16]>
// CHECK-NEXT: %[[B:.+]] = spat.input {tensor = "x", boxes = <[0:2, 0:2, 16:32]>
// CHECK-NEXT: %[[C:.+]] = spat.input {tensor = "x", boxes = <[0:2, 0:2, 32:40]>
// CHECK-NEXT: %[[P:.+]] = spat.compute(%{{[^ ]+}} = %[[A]]) {node = "conv", tensors = [""], forms = <none>, boxes = <[0:2, 0:2, 0:2]>, part = "row tiles 0-0 of 3", cluster = 0}
// CHECK: kernel.apply_filters({{.+}}origins = [0], tiles = <0[0:16]>, channels = <0:2>}
// CHECK: %[[Q:.+]] = spat.compute(%{{[^ ]+}} = %[[B]], %{{[^ ]+}} = %[[C]]) {node = "conv", tensors = [""], {{.+}}part = "row tiles 1-2 of 3", cluster = 1}
// CHECK: kernel.apply_filters({{.+}}origins = [16, 32], tiles = <0[0:16], 1[0:8]>, channels = <0:2>}
// CHECK: %[[Y:.+]] = spat.compute(%{{[^ ]+}} = %[[P]], %{{[^ ]+}} = %[[Q]]) {node = "conv", tensors = ["y"], {{.+}}part = "partial sum 1 of 1", cluster = 0}
// CHECK: kernel.vadd({{.+}}) {channels = <0:2>, epilogue = <relu>}
// CHECK: spat.output(%[[Y]])
