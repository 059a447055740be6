// RUN: emu opt %s -t asm | filecheck %s

"builtin.module"() ({
  "pim.core"() <{coreId = 0 : i64}> ({
    %l = "pim.alloc"() <{address = 0 : i64}> : () -> memref<2x1x3xf32>
    %r = "pim.alloc"() <{address = 64 : i64}> : () -> memref<1x2x1xf32>
    %y = "pim.alloc"() <{address = 128 : i64}> : () -> memref<2x2x3xf32>
    "kernel.elementwise"(%l, %r, %y) <{fn = "mul", offsets = array<i64: 0, 0, 0>, segments = array<i64: 2, 1, 0, 0>, node = "n"}> : (memref<2x1x3xf32>, memref<1x2x1xf32>, memref<2x2x3xf32>) -> ()
    "pim.halt"() : () -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: @ "n"
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: loop i1 2 { ;
// CHECK-NEXT: vvmul.f32 l[0x0080 + 24*i0 + 12*i1], l[0x0000 + 12*i0], l[0x0040 + 4*i1] stride 0, 3 ;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: @ none
