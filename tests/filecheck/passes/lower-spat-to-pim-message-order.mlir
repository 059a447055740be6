// RUN: emu opt %s -p lower-spat-to-pim --arch tiny | filecheck %s

%x = spat.input {tensor = "x", boxes = <[0:2, 0:1, 0:1]>, form = <[1, 1, H, 1] with H = 2, W = 1, C = 1>} : tensor<2x1x1xf32>
%one = spat.compute(%a = %x) {node = "one", tensors = ["one"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>, core = 0} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f = kernel.activation(%a) {epilogue = <relu>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f) : tensor<2x1x1xf32>
}
%two = spat.compute(%a_1 = %x) {node = "two", tensors = ["two"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>, core = 1} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f_1 = kernel.activation(%a_1) {epilogue = <relu>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f_1) : tensor<2x1x1xf32>
}
%three = spat.compute(%a_2 = %two) {node = "three", tensors = ["three"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>, core = 0} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f_2 = kernel.activation(%a_2) {epilogue = <relu>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f_2) : tensor<2x1x1xf32>
}
%four = spat.compute(%a_3 = %one) {node = "four", tensors = ["four"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>, core = 1} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f_3 = kernel.activation(%a_3) {epilogue = <relu>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f_3) : tensor<2x1x1xf32>
}
spat.output(%three) {element = f32, tensor = "three", boxes = <[0:2, 0:1, 0:1]>, form = <[1, 1, H, 1] with H = 2, W = 1, C = 1>} : tensor<2x1x1xf32>
spat.output(%four) {element = f32, tensor = "four", boxes = <[0:2, 0:1, 0:1]>, form = <[1, 1, H, 1] with H = 2, W = 1, C = 1>} : tensor<2x1x1xf32>
// Each core sends one message to the other: both take them in the same order, or they would wait for ever.
// CHECK: pim.core 0 {
// CHECK: pim.send({{.+}}) {node = "one", peer = 1, message = [[ONE:.+]]
// CHECK: pim.receive({{.+}}) {node = "two", peer = 1, message = [[TWO:.+]]
// CHECK: pim.core 1 {
// CHECK: pim.receive({{.+}}) {node = "one", peer = 0, message = [[ONE]]
// CHECK: pim.send({{.+}}) {node = "two", peer = 0, message = [[TWO]]
