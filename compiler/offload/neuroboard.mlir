// NeuroBoard's flow for any program: a tile of the second factor of each product fills a crossbar of the chip, and is
// written once; every row of the first factor is a vector that is multiplied by it.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %products = transform.structured.match attributes {offload.roles = "mnk"} in %module : (!transform.any_op) -> !transform.any_op
    %rows, %cols = transform.neuro.crossbar %products : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>)
    %tiles, %n, %k = transform.structured.tile_using_for %products tile_sizes [0, %cols, %rows] interchange = [1, 2, 0] : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %weights = transform.get_operand %tiles[1] : (!transform.any_op) -> !transform.any_value
    %alloc = transform.neuro.create.alloc %weights : (!transform.any_value) -> !transform.any_op
    %write = transform.neuro.create.write_matrix %alloc, %tiles : (!transform.any_op, !transform.any_op) -> !transform.any_op
    %row, %m = transform.structured.tile_using_for %tiles tile_sizes [1, 0, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %vector = transform.get_producer_of_operand %row[0] : (!transform.any_op) -> !transform.any_op
    %out = transform.get_producer_of_operand %row[2] : (!transform.any_op) -> !transform.any_op
    %product = transform.neuro.create.matvec %write, %vector, %out : (!transform.any_op, !transform.any_op, !transform.any_op) -> !transform.any_op
    transform.neuro.replace %row with %product : !transform.any_op, !transform.any_op
    transform.yield
  }
}
