// RUN: emu offload %s -p linalg-generalize --until contractions | filecheck %s
// Named operations become generic ones, with their maps and bodies; fills stay.
func.func @main(%a: tensor<3x2xi8>, %b: tensor<2x4xi8>) -> tensor<3x4xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<3x4xi32>
  %start = linalg.fill ins(%zero : i32) outs(%empty : tensor<3x4xi32>) -> tensor<3x4xi32>
  %y = linalg.matmul ins(%a, %b : tensor<3x2xi8>, tensor<2x4xi8>) outs(%start : tensor<3x4xi32>) -> tensor<3x4xi32>
  return %y : tensor<3x4xi32>
}
// CHECK: linalg.fill
// CHECK-NEXT: %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b
// CHECK-NEXT: ^bb0(%[[A:.+]]: i8, %[[B:.+]]: i8, %[[C:.+]]: i32):
// CHECK-NEXT: %[[X:.+]] = arith.extsi %[[A]] : i8 to i32
// CHECK-NEXT: %[[Y:.+]] = arith.extsi %[[B]] : i8 to i32
// CHECK-NEXT: %[[P:.+]] = arith.muli %[[X]], %[[Y]] : i32
// CHECK-NEXT: %[[S:.+]] = arith.addi %[[C]], %[[P]] : i32
// CHECK-NEXT: linalg.yield %[[S]] : i32
