// RUN: emu offload %s -p 'linalg-generalize,detect-contractions,tile{sizes=2,2,2},interchange{min-writes},linalg-to-cim' --until cim | filecheck %s
// With the loop over rows of the first factor inside, a tile is written once for all of them.
func.func @main(%a: tensor<6x5xi8>, %b: tensor<5x4xi8>, %c: tensor<6x4xi32>) -> tensor<6x4xi32> {
  %y = linalg.matmul ins(%a, %b : tensor<6x5xi8>, tensor<5x4xi8>) outs(%c : tensor<6x4xi32>) -> tensor<6x4xi32>
  return %y : tensor<6x4xi32>
}
// CHECK: scf.for %n =
// CHECK-NEXT: scf.for %k =
// CHECK: cim.write
// CHECK: scf.for %m =
// CHECK-NOT: cim.write
// CHECK: cim.gemm
