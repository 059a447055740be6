// RUN: emu opt %s -t asm | filecheck %s

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %l = "pim.alloc"() <{address = 0 : i64}> : () -> memref<2x2x3xf32>
    %r = "pim.alloc"() <{address = 64 : i64}> : () -> memref<2x2x3xf32>
    %y = "pim.alloc"() <{address = 128 : i64}> : () -> memref<2x2x3xf32>
    "kernel.elementwise"(%l, %r, %y) <{fn = "sub", epilogue = [{fn = "relu", args = []}], offsets = array<i64: 0, 0, 0>, segments = array<i64: 2, 1, 0, 0>, node = "n"}> : (memref<2x2x3xf32>, memref<2x2x3xf32>, memref<2x2x3xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: @ "n"
// CHECK-NEXT: vvsub.f32 l[0x0080], l[0x0000], l[0x0040], 12 ;
// CHECK-NEXT: vrelu.f32 l[0x0080], l[0x0080], 12 ;
// CHECK-NEXT: @ none
