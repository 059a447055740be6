// RUN: emu compile %s --until onnx | filecheck %s

// Integers that stand in the result of a convolution, one for each filter, are its bias; images have channels last.
// CHECK: %[[X:.+]] = onnx.Transpose(%{{.+}}) {perm = [0, 3, 1, 2]
// CHECK: %[[B:.+]] = onnx.Constant {node = "conv_2d_nhwc_hwcf_c/bias"
// CHECK-NEXT: integer.conv(%[[X]], %{{.+}}, %[[B]])
// CHECK-NOT: nest.generic
func.func @main(%x: tensor<1x3x3x1xi8>) -> tensor<1x2x2x2xi32> {
  %w = arith.constant dense<[[[[1, 2]], [[3, 4]]], [[[5, 6]], [[7, 8]]]]> : tensor<2x2x1x2xi8>
  %b = arith.constant dense<[-1, 9]> : tensor<2xi32>
  %e = tensor.empty() : tensor<1x2x2x2xi32>
  %s = linalg.broadcast ins(%b : tensor<2xi32>) outs(%e : tensor<1x2x2x2xi32>) dimensions = [0, 1, 2]
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x3x3x1xi8>, tensor<2x2x1x2xi8>) outs(%s : tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
  return %c : tensor<1x2x2x2xi32>
}
