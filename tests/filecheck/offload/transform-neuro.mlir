// RUN: emu offload %s --recipe neuroboard --shape a=3,20 --shape b=20,16 --shape c=3,16 --until neuro | filecheck %s
// NeuroBoard's script: an allocation for the second factor, its tiles written to it one behind the other, vectors.
module attributes {transform.with_named_sequence} {
  func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %y = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %y : tensor<?x?xf32>
  }
  transform.sequence failures(propagate) {
  ^bb0(%root: !transform.any_op):
    %found = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %b = transform.get_operand %found[1] : (!transform.any_op) -> !transform.any_value
    %alloc = transform.neuro.create.alloc %b : (!transform.any_value) -> !transform.any_op
    %tile, %k, %n = transform.structured.tile_using_for %found tile_sizes [0, 8, 10] interchange = [2, 1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %write = transform.neuro.create.write_matrix %alloc, %tile : (!transform.any_op, !transform.any_op) -> !transform.any_op
    %row, %m = transform.structured.tile_using_for %tile tile_sizes [1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %in = transform.get_producer_of_operand %row[0] : (!transform.any_op) -> !transform.any_op
    %out = transform.get_producer_of_operand %row[2] : (!transform.any_op) -> !transform.any_op
    %product = transform.neuro.create.matvec %write, %in, %out : (!transform.any_op, !transform.any_op, !transform.any_op) -> !transform.any_op
    transform.neuro.replace %row with %product : !transform.any_op, !transform.any_op
  }
}
// CHECK: func.func @main(%a: tensor<3x20xf32>, %b: tensor<20x16xf32>, %c: tensor<3x16xf32>) -> tensor<3x16xf32>
// CHECK-NEXT: %[[SIZE:.+]] = arith.constant 320 : index
// CHECK-NEXT: %[[H:.+]] = neuro.alloc %[[SIZE]] : index
// CHECK: scf.for %[[K:[0-9]+]] =
// CHECK-NEXT: scf.for %[[N:[0-9]+]] =
// CHECK: %[[B:.+]] = tensor.extract_slice %b[%[[K]], %[[N]]] [10, 8] [1, 1]
// CHECK: %[[AT:.+]] = affine.apply affine_map<(d0, d1) -> (((d0 * 16) + d1))> (%[[K]], %{{.+}})
// CHECK: %[[W:.+]] = linalg.transpose ins(%[[B]]
// CHECK-NEXT: neuro.write_matrix %[[H]], %[[AT]], %[[W]] : index, index, tensor<8x10xf32>
// CHECK: scf.for %[[M:[0-9]+]] =
// CHECK-NEXT: tensor.extract_slice %{{.+}}[%[[M]], 0] [1, 10] [1, 1]
// CHECK-NEXT: %[[C:.+]] = tensor.extract_slice %{{.+}}[%[[M]], 0] [1, 8] [1, 1]
// CHECK-NEXT: %[[A:.+]] = tensor.collapse_shape
// CHECK-NEXT: neuro.matvec %[[H]], %[[AT]], %[[A]], %[[C]] : index, index, tensor<10xf32>, tensor<1x8xf32> -> tensor<1x8xf32>
// CHECK-NOT: linalg.matmul
