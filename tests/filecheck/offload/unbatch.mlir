// RUN: emu offload %s -p 'linalg-generalize,unbatch{written-out=1}' --until contractions | filecheck %s
// Each product of a batch is one of its own, in a loop of the host; by default up to 16 are written out.
func.func @main(%a: tensor<5x2x3xf32>, %b: tensor<5x3x4xf32>, %c: tensor<5x2x4xf32>) -> tensor<5x2x4xf32> {
  %y = linalg.batch_matmul ins(%a, %b : tensor<5x2x3xf32>, tensor<5x3x4xf32>) outs(%c : tensor<5x2x4xf32>) -> tensor<5x2x4xf32>
  return %y : tensor<5x2x4xf32>
}
// CHECK: %[[Y:.+]] = scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[C:.+]] = %c)
// CHECK-DAG: %[[A:.+]] = tensor.extract_slice %a[%[[I]], 0, 0] [1, 2, 3] [1, 1, 1] : tensor<5x2x3xf32> to tensor<2x3xf32>
// CHECK-DAG: %[[B:.+]] = tensor.extract_slice %b[%[[I]], 0, 0] [1, 3, 4] [1, 1, 1] : tensor<5x3x4xf32> to tensor<3x4xf32>
// CHECK-DAG: %[[D:.+]] = tensor.extract_slice %[[C]][%[[I]], 0, 0] [1, 2, 4] [1, 1, 1] : tensor<5x2x4xf32> to tensor<2x4xf32>
// CHECK: %[[P:.+]] = linalg.generic {{.*}} ins(%[[A]], %[[B]] : tensor<2x3xf32>, tensor<3x4xf32>) outs(%[[D]]
// CHECK: tensor.insert_slice %[[P]] into %[[C]]
// CHECK: scf.yield
// CHECK: return %[[Y]]
