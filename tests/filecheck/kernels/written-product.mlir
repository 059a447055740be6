// RUN: emu opt %s -t asm | filecheck %s

// Three heads take turns on two groups, each of two crossbars: first two, then one. All stands as crossbars take it.
builtin.module {
  pim.core 0 {
    %x = pim.alloc {address = 0} : memref<1x4x6xf32>
    %k = pim.alloc {address = 128} : memref<3x2x5xf32>
    %y = pim.alloc {address = 256} : memref<1x4x15xf32>
    kernel.written_product ins(%x, %k) outs(%y) {node = "n", unit = 0, sizes = [3, 4, 5, 2], iterators = ["parallel", "parallel", "parallel", "reduction"], maps = [affine_map<(d0, d1, d2, d3) -> (0, d1, ((d0 * 2) + d3))>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (0, d1, ((d0 * 5) + d2))>], body = [{fn = "mul", type = f32, args = array<i64: 0, 1>}], combine = "add", operand = 1, crossbar = [4, 4], bank = 1, groups = 2, stays = 0} : memref<1x4x6xf32>, memref<3x2x5xf32>, memref<1x4x15xf32>
    pim.halt
  }
}
// CHECK: group 0 f32.f32.f32 rows 2 cols 4 1 bank 1
// CHECK-NEXT: group 1 f32.f32.f32 rows 2 cols 4 1 bank 3
// CHECK: @ "n"
// CHECK-NEXT: xbwrite.f32 l[0x0080], group 0, row 0, rows 2 ;
// CHECK-NEXT: xbwrite.f32 l[0x00a8], group 1, row 0, rows 2 ;
// CHECK-NEXT: loop i0 4 { ;
// CHECK-NEXT: mvmul.f32.f32 l[0x0100 + 60*i0], l[0x0000 + 24*i0], group 0 ;
// CHECK-NEXT: mvmul.f32.f32 l[0x0114 + 60*i0], l[0x0008 + 24*i0], group 1 ;
// CHECK-NEXT: }
// CHECK-NEXT: xbwrite.f32 l[0x00d0], group 0, row 0, rows 2 ;
// CHECK-NEXT: loop i0 4 { ;
// CHECK-NEXT: mvmul.f32.f32 l[0x0128 + 60*i0], l[0x0010 + 24*i0], group 0 ;
// CHECK-NEXT: }
// CHECK-NEXT: @ none
