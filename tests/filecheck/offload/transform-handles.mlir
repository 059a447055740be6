// RUN: emu offload %s -p transform-interpreter --until neuro | filecheck %s
// Handles that are merged, split, cast and gone through one by one; passes by name; producers, consumers and parents.
func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = linalg.add ins(%p, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %q : tensor<4x4xf32>
}
transform.sequence failures(propagate) {
^bb0(%root: !transform.any_op):
  %all = transform.apply_registered_pass "linalg-generalize" to %root : (!transform.any_op) -> !transform.any_op
  %two = transform.structured.match interface{LinalgOp} in %all : (!transform.any_op) -> !transform.any_op
  %first, %second = transform.split_handle %two : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %same = transform.cast %first : !transform.any_op to !transform.op<"linalg.generic">
  %maker = transform.get_producer_of_operand %second[0] : (!transform.any_op) -> !transform.any_op
  transform.annotate %maker "maker" : !transform.any_op
  %reader = transform.get_consumers_of_result %first[0] : (!transform.any_op) -> !transform.any_op
  transform.annotate %reader "reader" : !transform.any_op
  %both = transform.merge_handles deduplicate %first, %second, %maker : !transform.any_op
  %tiles = transform.foreach %both : !transform.any_op -> !transform.any_op {
  ^bb0(%each: !transform.any_op):
    %tile, %loop = transform.structured.tile_using_for %each tile_sizes [0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %loop "loop" : !transform.any_op
    transform.yield %tile : !transform.any_op
  }
  transform.annotate %tiles "tile" : !transform.any_op
  %outer = transform.get_parent_op %tiles {op_name = "func.func", deduplicate} : (!transform.any_op) -> !transform.any_op
  transform.annotate %outer "outer" : !transform.any_op
}
// CHECK: func.func @main
// CHECK-SAME: attributes {outer}
// CHECK: scf.for
// CHECK: linalg.generic
// CHECK-SAME: maker, tile
// CHECK: } {loop}
// CHECK: scf.for
// CHECK: linalg.generic
// CHECK-SAME: reader, tile
// CHECK: } {loop}
