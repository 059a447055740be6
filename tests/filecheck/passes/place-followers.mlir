// RUN: emu opt %s -p place --arch tiny --cores 3 | filecheck %s
// WEIGHTS: w = "1x1x1x1"

%x = spat.input {tensor = "x", boxes = <[0:2, 0:1, 0:1]>, form = <[1, 1, H, 1] with H = 2, W = 1, C = 1>} : tensor<2x1x1xf32>
%one = spat.compute(%a = %x) {node = "one", tensors = ["one"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f = kernel.apply_filters(%a) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:1]>, channels = <0:1>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f) : tensor<2x1x1xf32>
}
%two = spat.compute(%a_1 = %x) {node = "two", tensors = ["two"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f_1 = kernel.apply_filters(%a_1) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:1]>, channels = <0:1>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f_1) : tensor<2x1x1xf32>
}
%three = spat.compute(%a_2 = %two) {node = "three", tensors = ["three"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f_2 = kernel.activation(%a_2) {epilogue = <relu>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f_2) : tensor<2x1x1xf32>
}
%four = spat.compute(%a_3 = %three) {node = "four", tensors = ["four"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f_3 = kernel.activation(%a_3) {epilogue = <relu>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f_3) : tensor<2x1x1xf32>
}
%five = spat.compute(%a_4 = %x) {node = "five", tensors = ["five"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f_4 = kernel.activation(%a_4) {epilogue = <relu>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f_4) : tensor<2x1x1xf32>
}
spat.output(%four) {element = f32, tensor = "four", boxes = <[0:2, 0:1, 0:1]>, form = <[1, 1, H, 1] with H = 2, W = 1, C = 1>} : tensor<2x1x1xf32>
spat.output(%five) {element = f32, tensor = "five", boxes = <[0:2, 0:1, 0:1]>, form = <[1, 1, H, 1] with H = 2, W = 1, C = 1>} : tensor<2x1x1xf32>
// What has no weights goes to its operand, or, if that is an input of the network, to the core with the least to do.
// CHECK: spat.compute({{.+}}node = "one"{{.+}}, core = 0}
// CHECK: spat.compute({{.+}}node = "two"{{.+}}, core = 1}
// CHECK: spat.compute({{.+}}node = "three"{{.+}}, core = 1}
// CHECK: spat.compute({{.+}}node = "four"{{.+}}, core = 1}
// CHECK: spat.compute({{.+}}node = "five"{{.+}}, core = 2}
