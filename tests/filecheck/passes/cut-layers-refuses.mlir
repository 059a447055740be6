// RUN: not emu opt %s -p cut-layers --arch tiny --cores 1 | filecheck %s
// WEIGHTS: w = "2x80x1x1"

%x = "spat.input"() <{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 80, 2, 2>, extent = array<i64: 80, 2, 2>, layout = ["", "C", "H", "W"]}> : () -> tensor<2x2x80xf32>
%y = "spat.layer"(%x) <{node = "conv", tensors = ["y"], forms = [{shape = array<i64: 1, 2, 2, 2>, extent = array<i64: 2, 2, 2>, layout = ["", "C", "H", "W"]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x2x80xf32>):
  %f = "kernel.apply_filters"(%a) <{weights = "w", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 80>, channels = array<i64: 0, 2>, epilogue = [{fn = "relu", args = []}]}> : (tensor<2x2x80xf32>) -> tensor<2x2x2xf32>
  "spat.yield"(%f) : (tensor<2x2x2xf32>) -> ()
}) : (tensor<2x2x80xf32>) -> tensor<2x2x2xf32>
"spat.output"(%y) <{element = f32, tensor = "y", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 2, 2, 2>, extent = array<i64: 2, 2, 2>, layout = ["", "C", "H", "W"]}> : (tensor<2x2x2xf32>) -> ()

// CHECK: the network needs 5 crossbars, which take 2 cores of 4 crossbars each on architecture tiny (at most 1024 cores), but --cores is 1: use --cores 2 or larger crossbars
