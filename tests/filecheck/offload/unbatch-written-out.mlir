// RUN: emu offload %s --recipe cinnamon --until cinm | filecheck %s
// Channels of a depthwise convolution are written out, so that their products can be scheduled side by side.
func.func @main(%x: tensor<1x5x5x2xi8>, %w: tensor<3x3x2xi8>, %c: tensor<1x3x3x2xi32>) -> tensor<1x3x3x2xi32> {
  %y = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %w : tensor<1x5x5x2xi8>, tensor<3x3x2xi8>) outs(%c : tensor<1x3x3x2xi32>) -> tensor<1x3x3x2xi32>
  return %y : tensor<1x3x3x2xi32>
}
// CHECK: cinm.compute
// CHECK: cinm.gemv(%{{.+}}, %{{.+}}) : (tensor<9x9xi8>, tensor<9xi8>) -> tensor<9xi32>
// CHECK: cinm.gemv(%{{.+}}, %{{.+}}) : (tensor<9x9xi8>, tensor<9xi8>) -> tensor<9xi32>
// CHECK: cinm.yield
