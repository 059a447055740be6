// RUN: emu offload %s -p detect-contractions --until contractions | filecheck %s
// A sum of products is found by its maps and its body, whatever the order of operands; a maximum is none.
func.func @main(%a: tensor<5x3x2xf32>, %b: tensor<2x5x4xf32>, %c: tensor<4x3xf32>, %d: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
  %y = linalg.generic {
      indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d2, d3, d0)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<5x3x2xf32>, tensor<2x5x4xf32>) outs(%c : tensor<4x3xf32>) {
  ^bb0(%x: f32, %w: f32, %acc: f32):
    %p = arith.mulf %w, %x : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<4x3xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<4x3xf32>) outs(%d : tensor<3xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.maximumf %acc, %x : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %y, %z : tensor<4x3xf32>, tensor<3xf32>
}
// CHECK: %y = linalg.generic
// CHECK-SAME: outs(%c : tensor<4x3xf32>) attrs = {{.*}}{offload.roles = "nmkk"}
// CHECK: %z = linalg.generic
// CHECK-SAME: outs(%d : tensor<3xf32>) {
