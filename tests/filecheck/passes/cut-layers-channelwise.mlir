// RUN: emu opt %s -p cut-layers --arch tiny | filecheck %s

%x = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:20]>, form = <[1, C, H, W] with H = 2, W = 2, C = 20>} : tensor<2x2x20xf32>
%y = spat.layer(%a = %x) {node = "relu", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 20)>, boxes = <[0:2, 0:2, 0:20]>} : (tensor<2x2x20xf32>) -> tensor<2x2x20xf32> {
  %f = kernel.activation(%a) {epilogue = <relu>} : (tensor<2x2x20xf32>) -> tensor<2x2x20xf32>
  spat.yield(%f) : tensor<2x2x20xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:2, 0:2, 0:20]>, form = <[1, C, H, W] with H = 2, W = 2, C = 20>} : tensor<2x2x20xf32>
// A compute per tile of the operand, and nothing is moved.
// CHECK: %[[A:.+]] = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:16]>
// CHECK-NEXT: %[[B:.+]] = spat.input {tensor = "x", boxes = <[0:2, 0:2, 16:20]>
// CHECK-NEXT: %[[Y:.+]] = spat.compute(%{{[^ ]+}} = %[[A]]) {node = "relu", {{.+}}boxes = <[0:2, 0:2, 0:16]>}
// CHECK: kernel.activation
// CHECK: %[[Z:.+]] = spat.compute(%{{[^ ]+}} = %[[B]]) {node = "relu", {{.+}}boxes = <[0:2, 0:2, 16:20]>}
// CHECK: kernel.activation
// CHECK: spat.output(%[[Y]], %[[Z]]) {{{.*}}tensor = "y", boxes = <[0:2, 0:2, 0:16], [0:2, 0:2, 16:20]>
// CHECK-NOT: kernel.concat
