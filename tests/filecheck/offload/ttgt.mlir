// RUN: emu offload %s -p linalg-generalize,detect-contractions,ttgt --until products | filecheck %s
// The first factor is turned, so that its summed dimension is last.
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>, %c: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %y = linalg.matmul_transpose_a ins(%a, %b : tensor<2x3xf32>, tensor<2x4xf32>) outs(%c : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
// CHECK: %[[T:.+]] = linalg.transpose ins(%a:tensor<2x3xf32>) outs(%{{.+}}:tensor<3x2xf32>) permutation = [1, 0]
// CHECK-NEXT: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
// CHECK-SAME: ins(%[[T]], %b : tensor<3x2xf32>, tensor<2x4xf32>) outs(%c : tensor<3x4xf32>)
