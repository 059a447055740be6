// RUN: emu offload %s -p 'linalg-generalize,detect-contractions,tile{sizes=6,4,2},unroll{tiles=2},linalg-to-cim' --until cim | filecheck %s
// Two tiles along k per turn, on crossbars of their own; the third one is left for a loop behind.
func.func @main(%a: tensor<6x5xi8>, %b: tensor<5x4xi8>, %c: tensor<6x4xi32>) -> tensor<6x4xi32> {
  %y = linalg.matmul ins(%a, %b : tensor<6x5xi8>, tensor<5x4xi8>) outs(%c : tensor<6x4xi32>) -> tensor<6x4xi32>
  return %y : tensor<6x4xi32>
}
// CHECK: %[[X:.+]] = cim.acquire : !cim.crossbar<tensor<2x4xi8>, i32>
// CHECK-NEXT: %[[Y:.+]] = cim.acquire : !cim.crossbar<tensor<2x4xi8>, i32>
// CHECK-NEXT: scf.for %m
// CHECK-NEXT: scf.for %n
// CHECK: scf.for %k
// CHECK: cim.write(%[[X]],
// CHECK: cim.write(%[[Y]],
// CHECK: %[[F:.+]] = cim.gemm(%[[X]],
// CHECK: %[[G:.+]] = cim.gemm(%[[Y]],
// CHECK: cim.barrier(%[[F]])
// CHECK: cim.barrier(%[[G]])
// CHECK: scf.for
// CHECK: cim.write(%[[X]],
// CHECK-NOT: cim.write
// CHECK: cim.release(%[[X]])
// CHECK-NEXT: cim.release(%[[Y]])
