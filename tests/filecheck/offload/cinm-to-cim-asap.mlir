// RUN: emu offload %s -p 'cinm-to-cim{schedule=asap crossbars=2}' --until cim | filecheck %s
// Both products that need nothing are called before one of them is awaited; what the host adds comes behind.
func.func @main(%a: tensor<2x2xi32>, %b: tensor<2x2xi32>, %c: tensor<2x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>) {
  %p = cinm.gemm(%a, %b) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %q = cinm.gemm(%b, %c) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %s = arith.addi %p, %a : tensor<2x2xi32>
  %r = cinm.gemm(%s, %c) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %q, %r : tensor<2x2xi32>, tensor<2x2xi32>
}
// CHECK: cim.write(%[[X:.+]], %b)
// CHECK: %[[P:.+]] = cim.gemm(%[[X]], %a)
// CHECK: cim.write(%[[Y:.+]], %c)
// CHECK: %[[Q:.+]] = cim.gemm(%[[Y]], %b)
// CHECK: %[[V:.+]] = cim.barrier(%[[P]])
// CHECK-NEXT: cim.release(%[[X]])
// CHECK-NEXT: %[[W:.+]] = cim.barrier(%[[Q]])
// CHECK-NEXT: cim.release(%[[Y]])
// CHECK-NEXT: %[[S:.+]] = arith.addi %[[V]], %a
// CHECK: %[[R:.+]] = cim.gemm(%{{.+}}, %[[S]])
// CHECK-NEXT: %[[Z:.+]] = cim.barrier(%[[R]])
// CHECK: return %[[W]], %[[Z]]
