// RUN: emu offload %s -p transform-interpreter --until tiles | filecheck %s --check-prefix=NONE
// RUN: emu offload %s -p transform-interpreter --until neuro | filecheck %s
// Tiles by a script: loops in the order of the interchange, a size from a parameter, one loop that is not cut.
module attributes {transform.with_named_sequence} {
  func.func @main(%a: tensor<6x5xi8>, %b: tensor<5x4xi8>, %c: tensor<6x4xi32>) -> tensor<6x4xi32> {
    %y = linalg.matmul ins(%a, %b : tensor<6x5xi8>, tensor<5x4xi8>) outs(%c : tensor<6x4xi32>) -> tensor<6x4xi32>
    return %y : tensor<6x4xi32>
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %found = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %size = transform.param.constant 3 : i64 -> !transform.param<i64>
    %tile, %k, %m = transform.structured.tile_using_for %found tile_sizes [%size, 0, 2] interchange = [2, 1, 0] : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %plain = transform.structured.generalize %tile : (!transform.any_op) -> !transform.any_op
    transform.annotate %plain "seen" : !transform.any_op
    transform.yield
  }
}
// NONE: transform.named_sequence
// CHECK-NOT: transform
// CHECK: %y = scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args
// CHECK-NEXT: scf.for %[[M:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[C:.+]] = %{{.+}})
// CHECK-NEXT: %[[S:.+]] = affine.min affine_map<(d0) -> (2, ((d0 * -1) + 5))> (%[[K]])
// CHECK-NEXT: tensor.extract_slice %a[%[[M]], %[[K]]] [3, %[[S]]] [1, 1] : tensor<6x5xi8> to tensor<3x?xi8>
// CHECK-NEXT: tensor.extract_slice %b[%[[K]], 0] [%[[S]], 4] [1, 1] : tensor<5x4xi8> to tensor<?x4xi8>
// CHECK-NEXT: tensor.extract_slice %[[C]][%[[M]], 0] [3, 4] [1, 1] : tensor<6x4xi32> to tensor<3x4xi32>
// CHECK-NEXT: linalg.generic
// CHECK: seen
// CHECK-NOT: transform
