// RUN: emu opt %s -p place --arch tiny --cores 2 | filecheck %s
// WEIGHTS: w = [0]
%x = "spat.input"() <{tensor = "x", channels = array<i64: 0, 1>, shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}> : () -> tensor<2x1x1xf32>
%one = "spat.compute"(%x) <{node = "one", tensors = ["one"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], channels = array<i64: 0, 1>}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.apply_filters"(%a) <{weights = "w", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 1>, channels = array<i64: 0, 1>}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
%two, %three = "spat.compute"(%x) <{node = "two", tensors = ["two", "three"], forms = [{}, {}], channels = array<i64: 0, 1, 1, 2>}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f, %g = "kernel.apply_filters"(%a) <{weights = "w", kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, origins = array<i64: 0>, tiles = array<i64: 0, 0, 1>, channels = array<i64: 0, 1, 1, 2>}> : (tensor<2x1x1xf32>) -> (tensor<2x1x1xf32>, tensor<2x1x1xf32>)
  "spat.yield"(%f, %g) : (tensor<2x1x1xf32>, tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> (tensor<2x1x1xf32>, tensor<2x1x1xf32>)
%all = "spat.compute"(%two, %three, %one) <{node = "all", tensors = [""], forms = [{}], channels = array<i64: 0, 3>}> ({
^bb0(%a: tensor<2x1x1xf32>, %b: tensor<2x1x1xf32>, %c: tensor<2x1x1xf32>):
  %f = "kernel.concat"(%a, %b, %c) <{origins = array<i64: 0, 0, 0, 0, 0, 1, 0, 0, 2>, starts = array<i64: 0, 0, 0>, sizes = array<i64: 1, 1, 1>}> : (tensor<2x1x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>) -> tensor<2x1x3xf32>
  "spat.yield"(%f) : (tensor<2x1x3xf32>) -> ()
}) : (tensor<2x1x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>) -> tensor<2x1x3xf32>
// Two of the three tiles come from core 1.
// CHECK: "spat.compute"({{.+}}node = "one"{{.+}}, core = 0 : i64}>
// CHECK: "spat.compute"({{.+}}node = "two"{{.+}}, core = 1 : i64}>
// CHECK: "spat.compute"({{.+}}node = "all"{{.+}}, core = 1 : i64}>
