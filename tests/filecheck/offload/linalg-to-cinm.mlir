// RUN: emu offload %s -p linalg-generalize,detect-contractions,linalg-to-cinm --until cinm | filecheck %s
// A product stands in a block that says what leaves it, and is added to what stood there before.
func.func @main(%a: tensor<6x5xi8>, %b: tensor<5x4xi8>, %c: tensor<6x4xi32>) -> tensor<6x4xi32> {
  %y = linalg.matmul ins(%a, %b : tensor<6x5xi8>, tensor<5x4xi8>) outs(%c : tensor<6x4xi32>) -> tensor<6x4xi32>
  return %y : tensor<6x4xi32>
}
// CHECK: %[[C:.+]] = cinm.compute -> tensor<6x4xi32> {
// CHECK-NEXT: %[[P:.+]] = cinm.gemm(%a, %b) : (tensor<6x5xi8>, tensor<5x4xi8>) -> tensor<6x4xi32>
// CHECK-NEXT: cinm.yield %[[P]] : tensor<6x4xi32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[Y:.+]] = arith.addi %c, %[[C]] : tensor<6x4xi32>
// CHECK-NEXT: return %[[Y]]
