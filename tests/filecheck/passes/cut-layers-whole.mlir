// RUN: emu opt %s -p cut-layers --arch tiny | filecheck %s

%x = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:20]>, form = <[1, C, H, W] with H = 2, W = 2, C = 20>} : tensor<2x2x20xf32>
%y = spat.layer(%a = %x) {node = "soft", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 20)>, boxes = <[0:2, 0:2, 0:20]>} : (tensor<2x2x20xf32>) -> tensor<2x2x20xf32> {
  %f = kernel.softmax(%a) : (tensor<2x2x20xf32>) -> tensor<2x2x20xf32>
  spat.yield(%f) : tensor<2x2x20xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:2, 0:2, 0:20]>, form = <[1, C, H, W] with H = 2, W = 2, C = 20>} : tensor<2x2x20xf32>
// A softmax needs all channels: one compute, which gathers its operand.
// CHECK: spat.compute(%{{[^ ]+}} = %{{[^,)]+}}, %{{[^ ]+}} = %{{[^,)]+}}) {node = "soft", {{.+}}boxes = <[0:2, 0:2, 0:20]>}
// CHECK: %[[A:.+]] = kernel.concat({{.+}}) {parts = <[0:2, 0:2, 0:16] at [0, 0, 0], [0:2, 0:2, 0:4] at [0, 0, 16]>}
// CHECK-NEXT: kernel.softmax(%[[A]]) : (tensor<2x2x20xf32>) -> tensor<2x2x20xf32>
// CHECK-NOT: spat.compute
