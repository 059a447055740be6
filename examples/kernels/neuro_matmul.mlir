// NeuroBoard's kernel with a transform script, for a board of crossbars of 16 x 16: sizes come from --input or --shape.
module attributes {transform.with_named_sequence} {
  func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %product = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %product : tensor<?x?xf32>
  }

  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %matmul = transform.structured.match ops{["linalg.matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    // The second factor has an allocation, in which its tiles stand one behind the other.
    %weights = transform.get_operand %matmul[1] : (!transform.any_op) -> !transform.any_value
    %alloc = transform.neuro.create.alloc %weights : (!transform.any_value) -> !transform.any_op
    // Loops over n, then k: a tile is written before the rows of the first factor pass.
    %tile, %n, %k = transform.structured.tile_using_for %matmul tile_sizes [0, 16, 16] interchange = [1, 2, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %write = transform.neuro.create.write_matrix %alloc, %tile : (!transform.any_op, !transform.any_op) -> !transform.any_op
    // One row at a time: a vector.
    %row, %m = transform.structured.tile_using_for %tile tile_sizes [1, 0, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %vector = transform.get_producer_of_operand %row[0] : (!transform.any_op) -> !transform.any_op
    %out = transform.get_producer_of_operand %row[2] : (!transform.any_op) -> !transform.any_op
    %matvec = transform.neuro.create.matvec %write, %vector, %out : (!transform.any_op, !transform.any_op, !transform.any_op) -> !transform.any_op
    transform.neuro.replace %row with %matvec : !transform.any_op, !transform.any_op
    transform.yield
  }
}
