// RUN: emu offload %s -p 'linalg-generalize,detect-contractions,tile{sizes=2,2,2 order=nmk}' --until tiles | filecheck %s
// Loops over tiles in the order that is asked for; only the last tile along k is smaller.
func.func @main(%a: tensor<6x5xi8>, %b: tensor<5x4xi8>, %c: tensor<6x4xi32>) -> tensor<6x4xi32> {
  %y = linalg.matmul ins(%a, %b : tensor<6x5xi8>, tensor<5x4xi8>) outs(%c : tensor<6x4xi32>) -> tensor<6x4xi32>
  return %y : tensor<6x4xi32>
}
// CHECK: scf.for %n =
// CHECK-NEXT: scf.for %m =
// CHECK-NEXT: scf.for %k =
// CHECK-NEXT: %[[K:.+]] = affine.min affine_map<(d0) -> (2, ((d0 * -1) + 5))> (%k)
// CHECK-NEXT: tensor.extract_slice %a[%m, %k] [2, %[[K]]] [1, 1] : tensor<6x5xi8> to tensor<2x?xi8>
// CHECK-NEXT: tensor.extract_slice %b[%k, %n] [%[[K]], 2] [1, 1] : tensor<5x4xi8> to tensor<?x2xi8>
// CHECK-NEXT: tensor.extract_slice %[[C:.+]][%m, %n] [2, 2] [1, 1] : tensor<6x4xi32> to tensor<2x2xi32>
// CHECK-NEXT: linalg.generic
// CHECK-SAME: offload.tile
// CHECK: tensor.insert_slice %{{.+}} into %[[C]][%m, %n] [2, 2] [1, 1]
