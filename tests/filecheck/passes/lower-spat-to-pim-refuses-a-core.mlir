// RUN: not emu opt %s -p lower-spat-to-pim --arch tiny --cores 2 | filecheck %s

%x = spat.input {tensor = "x", boxes = <[0:2, 0:1, 0:1]>, form = <[1, 1, H, 1] with H = 2, W = 1, C = 1>} : tensor<2x1x1xf32>
%one = spat.compute(%a = %x) {node = "one", tensors = ["one"], forms = <([1, 1, H, 1] with H = 2, W = 1, C = 1)>, boxes = <[0:2, 0:1, 0:1]>, core = 2} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %f = kernel.activation(%a) {epilogue = <relu>} : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  spat.yield(%f) : tensor<2x1x1xf32>
}
spat.output(%one) {element = f32, tensor = "one", boxes = <[0:2, 0:1, 0:1]>, form = <[1, 1, H, 1] with H = 2, W = 1, C = 1>} : tensor<2x1x1xf32>
// CHECK: line 4: node one is placed on core 2, but --cores 2 allows cores 0 to 1: use --cores 3 or more
