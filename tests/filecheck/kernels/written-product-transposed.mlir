// RUN: emu opt %s -t asm | filecheck %s

// The left operand is written, transposed, half by half; vectors are columns of the right one, sums columns of the result.
builtin.module {
  pim.core 0 {
    %a = pim.alloc {address = 0} : memref<1x2x4xf32>
    %b = pim.alloc {address = 64} : memref<1x4x5xf32>
    %y = pim.alloc {address = 192} : memref<1x2x5xf32>
    %r = pim.alloc {address = 256} : memref<1x1x8xf32>
    %v = pim.alloc {address = 320} : memref<1x1x4xf32>
    %s = pim.alloc {address = 384} : memref<1x1x2xf32>
    kernel.written_product ins(%a, %b) outs(%y) scratch(%r, %v, %s) {node = "n", unit = 0, sizes = [2, 5, 4], iterators = ["parallel", "parallel", "reduction"], maps = [affine_map<(d0, d1, d2) -> (0, d0, d2)>, affine_map<(d0, d1, d2) -> (0, d2, d1)>, affine_map<(d0, d1, d2) -> (0, d0, d1)>], body = [{fn = "mul", type = f32, args = array<i64: 0, 1>}], combine = "add", operand = 0, crossbar = [4, 4], bank = 0, groups = 1, stays = 1} : memref<1x2x4xf32>, memref<1x4x5xf32>, memref<1x2x5xf32>, memref<1x1x8xf32>, memref<1x1x4xf32>, memref<1x1x2xf32>
    pim.halt
  }
}
// CHECK: loop i0 2 { ;
// CHECK-NEXT: vmv.f32 l[0x0100 + 4*i0] stride 2, l[0x0000 + 16*i0], 2 ;
// CHECK-NEXT: }
// CHECK-NEXT: xbwrite.f32 l[0x0100], group 0, row 0, rows 2 ;
// CHECK-NEXT: loop i0 2 { ;
// CHECK-NEXT: vmv.f32 l[0x0110 + 4*i0] stride 2, l[0x0008 + 16*i0], 2 ;
// CHECK-NEXT: }
// CHECK-NEXT: xbwrite.f32 l[0x0110], group 0, row 2, rows 2 ;
// CHECK-NEXT: loop i0 5 { ;
// CHECK-NEXT: vmv.f32 l[0x0140], l[0x0040 + 4*i0] stride 5, 4 ;
// CHECK-NEXT: mvmul.f32.f32 l[0x0180], l[0x0140], group 0 ;
// CHECK-NEXT: vmv.f32 l[0x00c0 + 4*i0] stride 5, l[0x0180], 2 ;
// CHECK-NEXT: }
