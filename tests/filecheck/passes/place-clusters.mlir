// RUN: emu opt %s -p place --arch tiny --cores 3 | filecheck %s
// WEIGHTS: w = "1x1x1x1"

%x = spat.input {tensor = "x", boxes = <[0:2, 0:1, 0:1]>, form = <[1, 1, H, 1] with H = 2, W = 1, C = 1>} : tensor<2x1x1xf32>
%one = spat.compute(%a = %x) {node = "one", tensors = ["one"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>, cluster = 5} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f = kernel.apply_filters(%a) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:1]>, channels = <0:1>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f) : tensor<2x1x1xf32>
}
%two = spat.compute(%a_1 = %one) {node = "two", tensors = ["two"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>, cluster = 6} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f_1 = kernel.apply_filters(%a_1) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:1]>, channels = <0:1>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f_1) : tensor<2x1x1xf32>
}
%three = spat.compute(%a_2 = %two) {node = "three", tensors = ["three"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>, cluster = 5} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f_2 = kernel.activation(%a_2) {epilogue = <relu>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f_2) : tensor<2x1x1xf32>
}
spat.output(%three) {element = f32, tensor = "three", boxes = <[0:2, 0:1, 0:1]>, form = <[1, 1, H, 1] with H = 2, W = 1, C = 1>} : tensor<2x1x1xf32>
// Computes of a cluster stand on one core, and the others on cores of their own.
// CHECK: spat.compute({{.+}}node = "one"{{.+}}, core = 0}
// CHECK: spat.compute({{.+}}node = "two"{{.+}}, core = 1}
// CHECK: spat.compute({{.+}}node = "three"{{.+}}, core = 0}
// CHECK-NOT: cluster
