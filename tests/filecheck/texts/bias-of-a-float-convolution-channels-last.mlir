// RUN: emu compile %s --until onnx | filecheck %s

// Also of floats with channels last, whose result is turned afterwards.
// CHECK: %[[B:.+]] = onnx.Constant {node = "conv_2d_nhwc_fhwc_c/bias"
// CHECK-NEXT: onnx.Conv(%{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %[[B]])
// CHECK-NOT: onnx.Add
func.func @main(%x: tensor<1x3x3x1xf32>) -> tensor<1x2x2x2xf32> {
  %w = arith.constant dense<[[[[1.0], [2.0]], [[3.0], [4.0]]], [[[5.0], [6.0]], [[7.0], [8.0]]]]> : tensor<2x2x2x1xf32>
  %b = arith.constant dense<[-1.0, 9.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<1x2x2x2xf32>
  %s = linalg.broadcast ins(%b : tensor<2xf32>) outs(%e : tensor<1x2x2x2xf32>) dimensions = [0, 1, 2]
  %c = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<1x3x3x1xf32>, tensor<2x2x2x1xf32>) outs(%s : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %c : tensor<1x2x2x2xf32>
}
