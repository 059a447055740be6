// RUN: not emu opt %s -p stagger --arch cim-mlc-jia | filecheck %s
// WEIGHTS: w = "2x40x1x1"

%x = spat.input {tensor = "x", boxes = <[0:2, 0:2, 0:40]>, form = <[1, C, H, W] with H = 2, W = 2, C = 40>} : tensor<2x2x40xf32>
%y = spat.compute(%a = %x) {node = "conv", tensors = ["y"], forms = <([1, C, H, W] with H = 2, W = 2, C = 2)>, boxes = <[0:2, 0:2, 0:2]>} : (tensor<2x2x40xf32>) -> tensor<2x2x2xf32> {
  %f = kernel.apply_filters(%a) {weights = "w", kernel = [1, 1], strides = [1, 1], dilations = [1, 1], origins = [0], tiles = <0[0:16], 0[16:32], 0[32:40]>, channels = <0:2>} : (tensor<2x2x40xf32>) -> tensor<2x2x2xf32>
  spat.yield(%f) : tensor<2x2x2xf32>
}
spat.output(%y) {element = f32, tensor = "y", boxes = <[0:2, 0:2, 0:2]>, form = <[1, C, H, W] with H = 2, W = 2, C = 2>} : tensor<2x2x2xf32>
// CHECK: architecture cim-mlc-jia: the pass stagger controls single crossbars, but chip.mode is "cm"
