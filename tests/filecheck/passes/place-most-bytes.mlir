// RUN: emu opt %s -p place --arch tiny --cores 2 | filecheck %s
// WEIGHTS: w = "2x1x1x1"
%x = spat.input {tensor = "x", boxes = <[0:2, 0:1, 0:1]>, form = <[1, 1, H, 1] with H = 2, W = 1, C = 1>} : tensor<2x1x1xf32>
%two, %three = spat.compute(%a = %x) {node = "two", tensors = ["two", "three"], forms = <none, none>, boxes = <[0:2, 0:1, 0:1], [0:2, 0:1, 1:2]>} : (tensor<2x1x1xf32>) -> (tensor<2x1x1xf32>, tensor<2x1x1xf32>) {
  %f, %g = kernel.apply_filters(%a) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:1]>, channels = <0:1, 1:2>} : (tensor<2x1x1xf32>) -> (tensor<2x1x1xf32>, tensor<2x1x1xf32>)
  spat.yield(%f, %g) : tensor<2x1x1xf32>, tensor<2x1x1xf32>
}
%one = spat.compute(%a_1 = %x) {node = "one", tensors = ["one"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f_1 = kernel.apply_filters(%a_1) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:1]>, channels = <0:1>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f_1) : tensor<2x1x1xf32>
}
%all = spat.compute(%a_2 = %two, %b = %three, %c = %one) {node = "all", tensors = [""], forms = <none>, boxes = <[0:2, 0:1, 0:3]>} : (tensor<2x1x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>) -> tensor<2x1x3xf32> {
  %f_2 = kernel.concat(%a_2, %b, %c) {parts = <[0:2, 0:1, 0:1] at [0, 0, 0], [0:2, 0:1, 0:1] at [0, 0, 1], [0:2, 0:1, 0:1] at [0, 0, 2]>} : (tensor<2x1x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>) -> tensor<2x1x3xf32>
  spat.yield(%f_2) : tensor<2x1x3xf32>
}
// Two of the three tiles come from core 0, though the last comes from core 1.
// CHECK: spat.compute({{.+}}node = "two"{{.+}}, core = 0}
// CHECK: spat.compute({{.+}}node = "one"{{.+}}, core = 1}
// CHECK: spat.compute({{.+}}node = "all"{{.+}}, core = 0}
