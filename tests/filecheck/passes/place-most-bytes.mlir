// RUN: emu opt %s -p place --arch tiny --cores 2 | filecheck %s
// WEIGHTS: w = "2x1x1x1"
%x = "spat.input"() <{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}> : () -> tensor<2x1x1xf32>
%two, %three = "spat.compute"(%x) <{node = "two", tensors = ["two", "three"], forms = [{}, {}], offsets = array<i64: 0, 0, 0, 0, 0, 1>}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f, %g = "kernel.apply_filters"(%a) <{weights = "w", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 1>, channels = array<i64: 0, 1, 1, 2>}> : (tensor<2x1x1xf32>) -> (tensor<2x1x1xf32>, tensor<2x1x1xf32>)
  "spat.yield"(%f, %g) : (tensor<2x1x1xf32>, tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> (tensor<2x1x1xf32>, tensor<2x1x1xf32>)
%one = "spat.compute"(%x) <{node = "one", tensors = ["one"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.apply_filters"(%a) <{weights = "w", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 1>, channels = array<i64: 0, 1>}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
%all = "spat.compute"(%two, %three, %one) <{node = "all", tensors = [""], forms = [{}], offsets = array<i64: 0, 0, 0>}> ({
^bb0(%a: tensor<2x1x1xf32>, %b: tensor<2x1x1xf32>, %c: tensor<2x1x1xf32>):
  %f = "kernel.concat"(%a, %b, %c) <{origins = array<i64: 0, 0, 0, 0, 0, 1, 0, 0, 2>, starts = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0>, sizes = array<i64: 2, 1, 1, 2, 1, 1, 2, 1, 1>}> : (tensor<2x1x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>) -> tensor<2x1x3xf32>
  "spat.yield"(%f) : (tensor<2x1x3xf32>) -> ()
}) : (tensor<2x1x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>) -> tensor<2x1x3xf32>
// Two of the three tiles come from core 0, though the last comes from core 1.
// CHECK: spat.compute({{.+}}node = "two"{{.+}}, core = 0}
// CHECK: spat.compute({{.+}}node = "one"{{.+}}, core = 1}
// CHECK: spat.compute({{.+}}node = "all"{{.+}}, core = 0}
