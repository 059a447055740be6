// RUN: emu offload %s -p linalg-generalize,im2col --until products | filecheck %s
// The windows of a convolution with strides become dimensions of a tensor; what is left is a contraction.
func.func @main(%x: tensor<1x2x7xf32>, %w: tensor<3x2x3xf32>, %b: tensor<1x3x3xf32>) -> tensor<1x3x3xf32> {
  %y = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>} ins(%x, %w : tensor<1x2x7xf32>, tensor<3x2x3xf32>) outs(%b : tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
  return %y : tensor<1x3x3xf32>
}
// CHECK: %[[E:.+]] = tensor.empty() : tensor<1x3x2x3xf32>
// CHECK: %[[W:.+]] = linalg.generic
// CHECK-SAME: -> (d0, d2, ((d1 * 2) + d3))>
// CHECK-SAME: ["parallel", "parallel", "parallel", "parallel"]
// CHECK-SAME: ins(%x : tensor<1x2x7xf32>) outs(%[[E]] : tensor<1x3x2x3xf32>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[W]], %w : tensor<1x3x2x3xf32>, tensor<3x2x3xf32>)
// CHECK-SAME: {offload.roles = "mnmkk"}
