builtin.module {
  pim.core 3 {
    %weights = pim.alloc {address = 64} : memref<1x1x65536xi8>
    %bias = pim.constant {key = "b", address = 0} : memref<1x1x16xf32>
    pim.write(%weights) {segment = 1, units = [3, 5]} : memref<1x1x65536xi8>
    pim.halt
  }
}
