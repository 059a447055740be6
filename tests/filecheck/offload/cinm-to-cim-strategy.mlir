// RUN: emu offload %s -p 'cinm-to-cim{schedule=support.strategies:Overlapping crossbars=2}' --until cim | filecheck %s
// A strategy of the user's: one product is awaited, and the next one called, while another one is under way.
func.func @main(%a: tensor<2x2xi32>, %b: tensor<2x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>) {
  %p = cinm.gemm(%a, %b) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %q = cinm.gemm(%b, %a) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  %r = cinm.gemm(%a, %a) : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %p, %q, %r : tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>
}
// CHECK: %[[P:.+]] = cim.gemm
// CHECK: %[[Q:.+]] = cim.gemm
// CHECK: cim.barrier(%[[P]])
// CHECK: %[[R:.+]] = cim.gemm
// CHECK: cim.barrier(%[[Q]])
// CHECK: cim.barrier(%[[R]])
