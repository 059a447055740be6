// RUN: emu opt %s -p place --arch tiny --cores 3 | filecheck %s
// WEIGHTS: w = "1x1x1x1"

%x = "spat.input"() <{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}> : () -> tensor<2x1x1xf32>
%one = "spat.compute"(%x) <{node = "one", tensors = ["one"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.apply_filters"(%a) <{weights = "w", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 1>, channels = array<i64: 0, 1>}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
%two = "spat.compute"(%x) <{node = "two", tensors = ["two"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.apply_filters"(%a) <{weights = "w", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 1>, channels = array<i64: 0, 1>}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
%three = "spat.compute"(%two) <{node = "three", tensors = ["three"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.activation"(%a) <{epilogue = [{fn = "relu", args = []}]}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
%four = "spat.compute"(%three) <{node = "four", tensors = ["four"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.activation"(%a) <{epilogue = [{fn = "relu", args = []}]}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
%five = "spat.compute"(%x) <{node = "five", tensors = ["five"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.activation"(%a) <{epilogue = [{fn = "relu", args = []}]}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
"spat.output"(%four) <{element = f32, tensor = "four", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}> : (tensor<2x1x1xf32>) -> ()
"spat.output"(%five) <{element = f32, tensor = "five", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}> : (tensor<2x1x1xf32>) -> ()
// What has no weights goes to its operand, or, if that is an input of the network, to the core with the least to do.
// CHECK: spat.compute({{.+}}node = "one"{{.+}}, core = 0}
// CHECK: spat.compute({{.+}}node = "two"{{.+}}, core = 1}
// CHECK: spat.compute({{.+}}node = "three"{{.+}}, core = 1}
// CHECK: spat.compute({{.+}}node = "four"{{.+}}, core = 1}
// CHECK: spat.compute({{.+}}node = "five"{{.+}}, core = 2}
