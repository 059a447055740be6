// RUN: emu offload %s -p 'cinm-to-cim{schedule=alap crossbars=2}' --until cim | filecheck %s
// The product that nobody waits for is called with the last one.
func.func @main(%a: tensor<2x2xi32>, %b: tensor<2x2xi32>, %c: tensor<2x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>) {
  %p = cinm.gemm(%a, %b) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %q = cinm.gemm(%b, %c) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %s = arith.addi %p, %a : tensor<2x2xi32>
  %r = cinm.gemm(%s, %c) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %q, %r : tensor<2x2xi32>, tensor<2x2xi32>
}
// CHECK: cim.gemm(%{{.+}}, %a)
// CHECK-NEXT: cim.barrier
// CHECK: %[[S:.+]] = arith.addi
// CHECK: cim.gemm(%{{.+}}, %b)
// CHECK: cim.gemm(%{{.+}}, %[[S]])
// CHECK-NEXT: cim.barrier
