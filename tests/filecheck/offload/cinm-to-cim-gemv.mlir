// RUN: emu offload %s -p cinm-to-cim --until cim | filecheck %s
// The matrix of a gemv stands transposed in the crossbar; what leaves nobody is not called.
func.func @main(%a: tensor<6x5xf32>, %x: tensor<5xf32>, %b: tensor<5x1xf32>) -> tensor<6xf32> {
  %y, %z = cinm.compute -> tensor<6xf32>, tensor<6xf32> {
    %p = cinm.gemv(%a, %x) : (tensor<6x5xf32>, tensor<5xf32>) -> tensor<6xf32>
    %q = arith.addf %p, %p : tensor<6xf32>
    %d = cinm.gemm(%a, %b) : (tensor<6x5xf32>, tensor<5x1xf32>) -> tensor<6x1xf32>
    cinm.yield %q, %p : tensor<6xf32>, tensor<6xf32>
  }
  return %y : tensor<6xf32>
}
// CHECK-NOT: cinm
// CHECK-DAG: %[[V:.+]] = tensor.expand_shape %x
// CHECK-DAG: %[[T:.+]] = linalg.transpose ins(%a:tensor<6x5xf32>)
// CHECK: %[[X:.+]] = cim.acquire : !cim.crossbar<tensor<5x6xf32>, f32>
// CHECK-NEXT: cim.write(%[[X]], %[[T]])
// CHECK-NEXT: %[[F:.+]] = cim.gemm(%[[X]], %[[V]])
// CHECK-NEXT: %[[W:.+]] = cim.barrier(%[[F]])
// CHECK-NEXT: cim.release(%[[X]])
// CHECK-NEXT: %[[P:.+]] = tensor.collapse_shape %[[W]]
// CHECK-NEXT: arith.addf %[[P]], %[[P]]
// CHECK-NOT: cim.gemm
// CHECK: return
