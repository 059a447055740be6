// RUN: emu offload %s -p neuro-to-calls --until calls | filecheck %s
// RUN: emu offload %s --backend sequential --input x=1,2,3,4,5,6,7,8,9,10,11,12 --input w=1,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1 --input y=0,0,0,0,0,1 | filecheck %s --check-prefix=DONE
// As NeuroBoard prints it, on memrefs: a product of six results of twelve inputs, added to a memref of 2 x 3.
func.func @main(%x: memref<12xf32>, %w: memref<6x12xf32>, %y: memref<2x3xf32>) {
  %size = arith.constant 72 : index
  %zero = arith.constant 0 : index
  %h = neuro.alloc %size : index
  neuro.write_matrix %h, %zero, %w : index, index, memref<6x12xf32>
  neuro.matvec %h, %zero, %x, %y : index, index, memref<12xf32>, memref<2x3xf32>
  return
}
// CHECK: %h = func.call @neuro_alloc(%size) : (index) -> index
// CHECK-NEXT: %[[W:.+]] = memref.cast %w : memref<6x12xf32> to memref<?x?xf32>
// CHECK-NEXT: func.call @neuro_write_matrix(%h, %zero, %[[W]]) : (index, index, memref<?x?xf32>) -> ()
// CHECK-NEXT: %[[X:.+]] = memref.cast %x : memref<12xf32> to memref<?xf32>
// CHECK-NEXT: %[[Y:.+]] = memref.cast %y : memref<2x3xf32> to memref<?x?xf32>
// CHECK-NEXT: func.call @neuro_matvec(%h, %zero, %[[X]], %[[Y]]) : (index, index, memref<?xf32>, memref<?x?xf32>) -> ()
// CHECK: func.func private @neuro_alloc(index) -> index
// CHECK-NEXT: func.func private @neuro_write_matrix(index, index, memref<?x?xf32>) -> ()
// CHECK-NEXT: func.func private @neuro_matvec(index, index, memref<?xf32>, memref<?x?xf32>) -> ()
// DONE: PASS  y: 0 of 6 elements differ
