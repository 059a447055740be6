// RUN: emu offload %s -p linalg-generalize,detect-contractions,ttgt --until products | filecheck %s
// The matrix of a product with a vector becomes the second factor, which is written.
func.func @main(%a: tensor<3x2xf32>, %x: tensor<2xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %y = linalg.matvec ins(%a, %x : tensor<3x2xf32>, tensor<2xf32>) outs(%c : tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
// CHECK: %[[X:.+]] = tensor.expand_shape %x {{.+}} : tensor<2xf32> into tensor<1x2xf32>
// CHECK: %[[T:.+]] = linalg.transpose ins(%a:tensor<3x2xf32>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]], %[[T]] : tensor<1x2xf32>, tensor<2x3xf32>)
// CHECK: tensor.collapse_shape %{{.+}} : tensor<1x3xf32> into tensor<3xf32>
