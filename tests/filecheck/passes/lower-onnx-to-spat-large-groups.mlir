// RUN: emu opt %s -p lower-onnx-to-spat --arch tiny | filecheck %s
// WEIGHTS: w = [[[[1]], [[1]], [[1]], [[1]], [[1]], [[1]], [[1]], [[1]], [[1]], [[1]], [[1]], [[1]], [[1]], [[1]], [[1]], [[1]], [[1]]], [[[2]], [[2]], [[2]], [[2]], [[2]], [[2]], [[2]], [[2]], [[2]], [[2]], [[2]], [[2]], [[2]], [[2]], [[2]], [[2]], [[2]]]]

func.func @main(%x: tensor<1x34x2x2xf32> {onnx.name = "x"}) -> (tensor<1x2x2x2xf32> {onnx.name = "y"}) {
  %w = onnx.Constant {node = "w", tensor = "w", key = "w"} : tensor<2x17x1x1xf32>
  %y = onnx.Conv(%x, %w) {node = "conv", tensor = "y", kernel_shape = [1, 1], strides = [1, 1], dilations = [1, 1], pads = [0, 0, 0, 0], group = 2} : (tensor<1x34x2x2xf32>, tensor<2x17x1x1xf32>) -> tensor<1x2x2x2xf32>
  func.return %y : tensor<1x2x2x2xf32>
}
// Groups of more channels than a crossbar of 16 rows has are layers of their own.
// CHECK: %[[X:.+]] = spat.input
// CHECK: %[[L:.+]] = spat.product(%{{[^ ]+}} = %[[X]])
// CHECK-SAME: boxes = <[0:2, 0:2, 0:1]>}
// CHECK: kernel.concat({{.+}}) {parts = <[0:2, 0:2, 0:17] at [0, 0, 0]>}
// CHECK-NEXT: kernel.apply_filters({{.+}}weights = "w/group0"
// CHECK: %[[R:.+]] = spat.product(%{{[^ ]+}} = %[[X]])
// CHECK-SAME: boxes = <[0:2, 0:2, 1:2]>}
// CHECK: kernel.concat({{.+}}) {parts = <[0:2, 0:2, 17:34] at [0, 0, 0]>}
// CHECK-NEXT: kernel.apply_filters({{.+}}weights = "w/group1"
// CHECK: %[[Y:.+]] = spat.join(%[[L]], %[[R]]) : (tensor<2x2x1xf32>, tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
// CHECK-NEXT: spat.output(%[[Y]])
// CHECK: // weights w/group0 = {{....}}1.0]], {{..}}1.0]]
// CHECK-NEXT: // weights w/group1 = {{....}}2.0]], {{..}}2.0]]
