// RUN: emu offload %s --recipe neuroboard --arch occ --until neuro | filecheck %s
// RUN: emu offload %s --recipe neuroboard --arch occ --until calls | filecheck %s --check-prefix=CALLS
// Without a script that of the product: one allocation for all products, of integers, too; tiles of crossbars of 64 x 64.
func.func @main(%a: tensor<3x70xi8>, %b: tensor<70x5xi8>, %c: tensor<3x5xi32>, %v: tensor<5xi32>, %d: tensor<3xi32>) -> tensor<3xi32> {
  %y = linalg.matmul ins(%a, %b : tensor<3x70xi8>, tensor<70x5xi8>) outs(%c : tensor<3x5xi32>) -> tensor<3x5xi32>
  %z = linalg.matvec ins(%y, %v : tensor<3x5xi32>, tensor<5xi32>) outs(%d : tensor<3xi32>) -> tensor<3xi32>
  return %z : tensor<3xi32>
}
// CHECK: %[[SIZE:.+]] = arith.constant 320 : index
// CHECK-NEXT: %[[H:.+]] = neuro.alloc %[[SIZE]] : index
// CHECK: neuro.write_matrix %[[H]], %{{.+}}, %{{.+}} {sums = i32} : index, index, tensor<5x?xi8>
// CHECK: neuro.matvec %[[H]], %{{.+}}, %{{.+}}, %{{.+}} : index, index, tensor<?xi8>, tensor<1x5xi32> -> tensor<1x5xi32>
// CHECK: neuro.write_matrix %[[H]], %{{.+}}, %{{.+}} : index, index, tensor<3x5xi32>
// CHECK: neuro.matvec %[[H]], %{{.+}}, %{{.+}}, %{{.+}} : index, index, tensor<5xi32>, tensor<1x3xi32> -> tensor<1x3xi32>
// CHECK-NOT: neuro.alloc
// CALLS: func.call @neuro_write_matrix_i8_i32(
// CALLS: func.call @neuro_matvec_i8_i32(
// CALLS: func.call @neuro_write_matrix_i32(
// CALLS: func.call @neuro_matvec_i32(
