// RUN: emu opt %s -p lower-spat-to-pim --arch tiny | filecheck %s

%x = "spat.input"() <{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}> : () -> tensor<2x1x1xf32>
%one = "spat.compute"(%x) <{node = "one", tensors = ["one"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>, core = 0 : i64}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.activation"(%a) <{epilogue = [{fn = "relu", args = []}]}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
%two = "spat.compute"(%x) <{node = "two", tensors = ["two"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>, core = 1 : i64}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.activation"(%a) <{epilogue = [{fn = "relu", args = []}]}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
%three = "spat.compute"(%two) <{node = "three", tensors = ["three"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>, core = 0 : i64}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.activation"(%a) <{epilogue = [{fn = "relu", args = []}]}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
%four = "spat.compute"(%one) <{node = "four", tensors = ["four"], forms = [{shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}], offsets = array<i64: 0, 0, 0>, core = 1 : i64}> ({
^bb0(%a: tensor<2x1x1xf32>):
  %f = "kernel.activation"(%a) <{epilogue = [{fn = "relu", args = []}]}> : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  "spat.yield"(%f) : (tensor<2x1x1xf32>) -> ()
}) : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
"spat.output"(%three) <{element = f32, tensor = "three", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}> : (tensor<2x1x1xf32>) -> ()
"spat.output"(%four) <{element = f32, tensor = "four", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 1, 2, 1>, extent = array<i64: 1, 2, 1>, layout = ["", "", "H", ""]}> : (tensor<2x1x1xf32>) -> ()
// Each core sends one message to the other: both take them in the same order, or they would wait for ever.
// CHECK: pim.core 0 {
// CHECK: pim.send({{.+}}) {node = "one", peer = 1, message = [[ONE:.+]]
// CHECK: pim.receive({{.+}}) {node = "two", peer = 1, message = [[TWO:.+]]
// CHECK: pim.core 1 {
// CHECK: pim.receive({{.+}}) {node = "one", peer = 0, message = [[ONE]]
// CHECK: pim.send({{.+}}) {node = "two", peer = 0, message = [[TWO]]
