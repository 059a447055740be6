// RUN: emu offload %s -p linalg-generalize,detect-contractions,ttgt,linalg-to-cinm --until cinm | filecheck %s
// A matrix times a vector is a gemv of the matrix as it stands; both products are in one block, with what is between.
func.func @main(%a: tensor<6x5xi32>, %x: tensor<5xi32>, %c: tensor<6xi32>) -> tensor<6xi32> {
  %y = linalg.matvec ins(%a, %x : tensor<6x5xi32>, tensor<5xi32>) outs(%c : tensor<6xi32>) -> tensor<6xi32>
  %z = linalg.vecmat ins(%y, %a : tensor<6xi32>, tensor<6x5xi32>) outs(%x : tensor<5xi32>) -> tensor<5xi32>
  %w = linalg.matvec ins(%a, %z : tensor<6x5xi32>, tensor<5xi32>) outs(%y : tensor<6xi32>) -> tensor<6xi32>
  return %w : tensor<6xi32>
}
// CHECK: cinm.compute -> tensor<1x6xi32>, tensor<6xi32> {
// CHECK: cinm.gemv(%a, %x) : (tensor<6x5xi32>, tensor<5xi32>) -> tensor<6xi32>
// CHECK: arith.addi
// CHECK: %[[T:.+]] = linalg.transpose ins(%a:tensor<6x5xi32>)
// CHECK: cinm.gemv(%[[T]], %{{.+}}) : (tensor<5x6xi32>, tensor<6xi32>) -> tensor<5xi32>
// CHECK: cinm.gemv(%a, %{{.+}}) : (tensor<6x5xi32>, tensor<5xi32>) -> tensor<6xi32>
// CHECK: cinm.yield
// CHECK-NEXT: }
// CHECK: arith.addi
