// RUN: emu opt %s -p place --arch tiny --cores 3 | filecheck %s
// WEIGHTS: w = "1x1x1x1"

%x = "spat.input"() <{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}> : () -> tensor<2x1x1xf32>
%one = "spat.compute"(%x) <{node = "one", tensors = ["one"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>, cluster = 5 : i64}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.apply_filters"(%a) <{weights = "w", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 1>, channels = array<i64: 0, 1>}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
%two = "spat.compute"(%one) <{node = "two", tensors = ["two"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>, cluster = 6 : i64}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.apply_filters"(%a) <{weights = "w", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 1>, channels = array<i64: 0, 1>}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
%three = "spat.compute"(%two) <{node = "three", tensors = ["three"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>, cluster = 5 : i64}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.activation"(%a) <{epilogue = [{fn = "relu", args = []}]}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
"spat.output"(%three) <{element = f32, tensor = "three", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}> : (tensor<2x1x1xf32>) -> ()
// Computes of a cluster stand on one core, and the others on cores of their own.
// CHECK: spat.compute({{.+}}node = "one"{{.+}}, core = 0}
// CHECK: spat.compute({{.+}}node = "two"{{.+}}, core = 1}
// CHECK: spat.compute({{.+}}node = "three"{{.+}}, core = 0}
// CHECK-NOT: cluster
