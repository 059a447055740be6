// RUN: emu opt %s -p lower-spat-to-pim --arch tiny --granularity image | filecheck %s

%x = spat.input {tensor = "x", boxes = <[0:4, 0:1, 0:1]>, form = <[1, 1, H, 1] with H = 4, W = 1, C = 1>} : tensor<4x1x1xf32>
%one = spat.compute(%a = %x) {node = "one", tensors = ["one"], forms = <([1, 1, H, 1] with H = 4, W = 1, C = 1)>, boxes = <[0:4, 0:1, 0:1]>, core = 0} : (tensor<4x1x1xf32>) -> tensor<4x1x1xf32> {
  %f = kernel.activation(%a) {epilogue = <relu>} : (tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
  spat.yield(%f) : tensor<4x1x1xf32>
}
%two = spat.compute(%a_1 = %one) {node = "two", tensors = ["two"], forms = <([1, 1, H, 1] with H = 4, W = 1, C = 1)>, boxes = <[0:4, 0:1, 0:1]>, core = 1} : (tensor<4x1x1xf32>) -> tensor<4x1x1xf32> {
  %f_1 = kernel.activation(%a_1) {epilogue = <relu>} : (tensor<4x1x1xf32>) -> tensor<4x1x1xf32>
  spat.yield(%f_1) : tensor<4x1x1xf32>
}
spat.output(%two) {element = f32, tensor = "two", boxes = <[0:4, 0:1, 0:1]>, form = <[1, 1, H, 1] with H = 4, W = 1, C = 1>} : tensor<4x1x1xf32>
// One message for the whole image; relu works in place.
// CHECK: pim.tensor {kind = "input", tensor = "x", {{.+}}addresses = [0]}
// CHECK-NEXT: pim.tensor {kind = "output", tensor = "two", {{.+}}addresses = [64]}
// CHECK-NEXT: pim.core 0 {
// CHECK-NEXT: %[[A:.+]] = pim.alloc : memref<4x1x1xf32>
// CHECK-NEXT: pim.load(%[[A]]) {node = "one", address = 0, rows = <0:4 of 4>}
// CHECK-NEXT: kernel.activation ins(%[[A]]) outs(%[[A]]) {epilogue = <relu>, node = "one"
// CHECK-NEXT: pim.complete(%[[A]]) {tensor = "one"
// CHECK-NEXT: pim.send(%[[A]]) {node = "one", peer = 1, message = 0, rows = <0:4 of 4>}
// CHECK-NEXT: pim.halt
// CHECK: pim.core 1 {
// CHECK-NEXT: %[[B:.+]] = pim.alloc : memref<4x1x1xf32>
// CHECK-NEXT: pim.receive(%[[B]]) {node = "one", peer = 0, message = 0, rows = <0:4 of 4>}
// CHECK-NEXT: kernel.activation ins(%[[B]]) outs(%[[B]]) {{.+}}node = "two"
// CHECK-NEXT: pim.complete(%[[B]]) {tensor = "two"
// CHECK-NEXT: pim.store(%[[B]]) {node = "two", address = 64, rows = <0:4 of 4>}
// CHECK-NEXT: pim.halt
