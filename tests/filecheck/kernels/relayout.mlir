// RUN: emu opt %s -t asm | filecheck %s

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %x = "pim.alloc"() <{address = 0 : i64}> : () -> memref<2x3x4xf32>
    %y = "pim.alloc"() <{address = 128 : i64}> : () -> memref<4x2x3xf32>
    "kernel.relayout"(%x, %y) <{epilogue = [{fn = "relu", args = []}], sizes = array<i64: 2, 3, 4>, source = array<i64: 12, 4, 1>, target = array<i64: 3, 1, 6>, segments = array<i64: 1, 1, 0, 0>, node = "n"}> : (memref<2x3x4xf32>, memref<4x2x3xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 3 { ;
// CHECK-NEXT: vmv.f32 l[0x0080 + 12*i0 + 4*i1] stride 6, l[0x0000 + 48*i0 + 16*i1], 4 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: vrelu.f32 l[0x0080], l[0x0080], 24 ;
// CHECK-NEXT: @ none
