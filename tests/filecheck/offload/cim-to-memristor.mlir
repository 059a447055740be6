// RUN: emu offload %s --until memristor | filecheck %s
// Crossbars are numbers, matrices and results memrefs; what is smaller than its crossbar is padded, and its product cut.
func.func @main(%a: tensor<6x5xi8>, %b: tensor<5x4xi8>, %s: tensor<3x2xi8>, %t: tensor<1x3xi8>) -> (tensor<6x4xi32>, tensor<1x2xi32>) {
  %x = cim.acquire : !cim.crossbar<tensor<5x4xi8>, i32>
  cim.write(%x, %b) : !cim.crossbar<tensor<5x4xi8>, i32>, tensor<5x4xi8>
  %f = cim.gemm(%x, %a) : (!cim.crossbar<tensor<5x4xi8>, i32>, tensor<6x5xi8>) -> !cim.future<tensor<6x4xi32>>
  %v = cim.barrier(%f) : (!cim.future<tensor<6x4xi32>>) -> tensor<6x4xi32>
  cim.write(%x, %s) : !cim.crossbar<tensor<5x4xi8>, i32>, tensor<3x2xi8>
  %g = cim.gemm(%x, %t) : (!cim.crossbar<tensor<5x4xi8>, i32>, tensor<1x3xi8>) -> !cim.future<tensor<1x2xi32>>
  %w = cim.barrier(%g) : (!cim.future<tensor<1x2xi32>>) -> tensor<1x2xi32>
  cim.release(%x) : !cim.crossbar<tensor<5x4xi8>, i32>
  return %v, %w : tensor<6x4xi32>, tensor<1x2xi32>
}
// CHECK: %[[X:.+]] = arith.constant 0 : i32
// CHECK-NEXT: %[[B:.+]] = bufferization.to_buffer %b read_only : tensor<5x4xi8> to memref<5x4xi8>
// CHECK-NEXT: memristor.write_to_crossbar(%[[X]], %[[B]]) {sums = i32} : i32, memref<5x4xi8>
// CHECK: %[[R:.+]] = memref.alloc() : memref<6x4xi32>
// CHECK-NEXT: %[[A:.+]] = bufferization.to_buffer %a read_only
// CHECK-NEXT: memristor.gemm(%[[X]], %[[A]], %[[R]]) : i32, memref<6x5xi8>, memref<6x4xi32>
// CHECK-NEXT: memristor.barrier(%[[X]]) : i32
// CHECK-NEXT: %[[V:.+]] = bufferization.to_tensor %[[R]] restrict : memref<6x4xi32> to tensor<6x4xi32>
// CHECK: linalg.fill
// CHECK: tensor.insert_slice %s into %{{.+}}[0, 0] [3, 2] [1, 1] : tensor<3x2xi8> into tensor<5x4xi8>
// CHECK: memristor.write_to_crossbar(%[[X]], %{{.+}}) {sums = i32} : i32, memref<5x4xi8>
// CHECK: tensor.insert_slice %t into %{{.+}}[0, 0] [1, 3] [1, 1] : tensor<1x3xi8> into tensor<1x5xi8>
// CHECK: memristor.gemm(%[[X]], %{{.+}}, %{{.+}}) : i32, memref<1x5xi8>, memref<1x4xi32>
// CHECK: %[[W:.+]] = tensor.extract_slice %{{.+}}[0, 0] [1, 2] [1, 1] : tensor<1x4xi32> to tensor<1x2xi32>
// CHECK: memristor.release(%[[X]]) : i32
// CHECK-NEXT: return %[[V]], %[[W]]
