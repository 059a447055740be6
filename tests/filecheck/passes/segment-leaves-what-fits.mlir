// RUN: emu opt %s -p segment --arch tiny --cores 2 | filecheck %s
// WEIGHTS: w = "98x2x1x1"

%x = "spat.input"() <{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 2, 2, 2>, extent = array<i64: 2, 2, 2>, layout = ["", "C", "H", "W"]}> : () -> tensor<2x2x2xf32>
%y = "spat.layer"(%x) <{node = "conv", tensors = ["y"], forms = [{shape = array<i64: 1, 98, 2, 2>, extent = array<i64: 98, 2, 2>, layout = ["", "C", "H", "W"]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x2x2xf32>):
  %f = "kernel.apply_filters"(%a) <{weights = "w", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 2>, channels = array<i64: 0, 98>}> : (tensor<2x2x2xf32>) -> tensor<2x2x98xf32>
  "spat.yield"(%f) : (tensor<2x2x98xf32>) -> ()
}) : (tensor<2x2x2xf32>) -> tensor<2x2x98xf32>
"spat.output"(%y) <{element = f32, tensor = "y", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 98, 2, 2>, extent = array<i64: 98, 2, 2>, layout = ["", "C", "H", "W"]}> : (tensor<2x2x98xf32>) -> ()
// CHECK: spat.layer
// CHECK-NOT: pieces
