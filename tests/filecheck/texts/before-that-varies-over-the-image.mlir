// RUN: emu compile %s --until onnx | filecheck %s

// What stands in the result and varies over the image is no bias: it is added by a nest.
// CHECK: integer.conv(%{{[0-9a-z]+}}, %{{[0-9a-z]+}}) {
// CHECK: nest.generic
func.func @main(%x: tensor<1x1x3x3xi8>) -> tensor<1x1x2x2xi32> {
  %w = arith.constant dense<[[[[1, 2], [3, 4]]]]> : tensor<1x1x2x2xi8>
  %s = arith.constant dense<[[[[-1, 9], [0, 2]]]]> : tensor<1x1x2x2xi32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x1x3x3xi8>, tensor<1x1x2x2xi8>) outs(%s : tensor<1x1x2x2xi32>) -> tensor<1x1x2x2xi32>
  return %c : tensor<1x1x2x2xi32>
}
