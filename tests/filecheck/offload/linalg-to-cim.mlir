// RUN: emu offload %s -p 'linalg-generalize,detect-contractions,tile{sizes=6,4,5},linalg-to-cim' --until cim | filecheck %s
// A product that one crossbar takes: acquired, written, multiplied, waited for, added, released.
func.func @main(%a: tensor<6x5xi8>, %b: tensor<5x4xi8>, %c: tensor<6x4xi32>) -> tensor<6x4xi32> {
  %y = linalg.matmul ins(%a, %b : tensor<6x5xi8>, tensor<5x4xi8>) outs(%c : tensor<6x4xi32>) -> tensor<6x4xi32>
  return %y : tensor<6x4xi32>
}
// CHECK: %[[X:.+]] = cim.acquire : !cim.crossbar<tensor<5x4xi8>, i32>
// CHECK: %[[B:.+]] = tensor.extract_slice %b
// CHECK: cim.write(%[[X]], %[[B]]) : !cim.crossbar<tensor<5x4xi8>, i32>, tensor<5x4xi8>
// CHECK: %[[F:.+]] = cim.gemm(%[[X]], %{{.+}}) : (!cim.crossbar<tensor<5x4xi8>, i32>, tensor<6x5xi8>) -> !cim.future<tensor<6x4xi32>>
// CHECK: %[[V:.+]] = cim.barrier(%[[F]]) : (!cim.future<tensor<6x4xi32>>) -> tensor<6x4xi32>
// CHECK: arith.addi %{{.+}}, %[[V]] : tensor<6x4xi32>
// CHECK: cim.release(%[[X]]) : !cim.crossbar<tensor<5x4xi8>, i32>
