// RUN: emu opt %s -p cut-layers --arch tiny | filecheck %s

%x = "spat.input"() <{tensor = "x", channels = array<i64: 0, 20>, shape = array<i64: 1, 20, 2, 2>, extent = array<i64: 20, 2, 2>, layout = ["", "C", "H", "W"]}> : () -> tensor<2x2x20xf32>
%y = "spat.layer"(%x) <{node = "relu", tensors = ["y"], forms = [{shape = array<i64: 1, 20, 2, 2>, extent = array<i64: 20, 2, 2>, layout = ["", "C", "H", "W"]}], channels = array<i64: 0, 20>}> ({
^bb0(%a: tensor<2x2x20xf32>):
  %f = "kernel.activation"(%a) <{epilogue = [{fn = "relu", args = []}]}> : (tensor<2x2x20xf32>) -> tensor<2x2x20xf32>
  "spat.yield"(%f) : (tensor<2x2x20xf32>) -> ()
}) : (tensor<2x2x20xf32>) -> tensor<2x2x20xf32>
"spat.output"(%y) <{tensor = "y", channels = array<i64: 0, 20>, shape = array<i64: 1, 20, 2, 2>, extent = array<i64: 20, 2, 2>, layout = ["", "C", "H", "W"]}> : (tensor<2x2x20xf32>) -> ()
// A compute per tile of the operand, and nothing is moved.
// CHECK: %[[A:.+]] = "spat.input"() <{tensor = "x", channels = array<i64: 0, 16>
// CHECK-NEXT: %[[B:.+]] = "spat.input"() <{tensor = "x", channels = array<i64: 16, 20>
// CHECK-NEXT: %[[Y:.+]] = "spat.compute"(%[[A]]) <{node = "relu", {{.+}}channels = array<i64: 0, 16>}>
// CHECK: "kernel.activation"
// CHECK: %[[Z:.+]] = "spat.compute"(%[[B]]) <{node = "relu", {{.+}}channels = array<i64: 16, 20>}>
// CHECK: "kernel.activation"
// CHECK: "spat.output"(%[[Y]], %[[Z]]) <{tensor = "y", channels = array<i64: 0, 16, 16, 20>
// CHECK-NOT: "kernel.concat"
