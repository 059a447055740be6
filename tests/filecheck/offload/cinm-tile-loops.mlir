// RUN: emu offload %s --arch occ -p cinm-tile --until cinm | filecheck %s
// Of more than 64 tiles, columns are turns of a loop, and so are rows, 64 at a time; what is left is written out.
func.func @main(%a: tensor<3x9600xi8>, %b: tensor<9600x130xi8>) -> tensor<3x130xi32> {
  %y = cinm.gemm(%a, %b) : (tensor<3x9600xi8>, tensor<9600x130xi8>) -> tensor<3x130xi32>
  return %y : tensor<3x130xi32>
}
// CHECK: scf.for %[[N:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%{{.+}} = %{{.+}}) -> (tensor<3x130xi32>) {
// CHECK: tensor.extract_slice %b[0, %[[N]]] [64, 64] [1, 1]
// CHECK: cinm.gemm
// CHECK: scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%{{.+}} = %{{.+}}) -> (tensor<3x64xi32>) {
// CHECK-COUNT-64: cinm.gemm
// CHECK: scf.yield
// CHECK-COUNT-21: cinm.gemm
// CHECK: tensor.insert_slice
// CHECK: scf.yield
// CHECK: tensor.extract_slice %b[0, 128] [64, 2] [1, 1]
