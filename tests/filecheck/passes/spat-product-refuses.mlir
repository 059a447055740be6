// RUN: not emu opt %s -p cut-layers --arch tiny --cores 1 | filecheck %s

%x = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:3]>, form = <[1, C, H, W] with H = 2, W = 2, C = 3>} : tensor<2x2x3xf32>
%y = spat.product(%a = %x) {node = "relu", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 3)>, boxes = <[0:2, 0:2, 0:3]>} : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32> {
  %f = kernel.activation(%a) {epilogue = <relu>} : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  spat.yield(%f) : tensor<2x2x3xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:2, 0:2, 0:3]>, form = <[1, C, H, W] with H = 2, W = 2, C = 3>} : tensor<2x2x3xf32>

// CHECK: line 4: spat.product must multiply one tensor
