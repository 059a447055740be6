arch tiny
global 4096
input "x" i8[16] at 0x00
core 0 {
  data 0x0 hex "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
  main {
    wait event 0, 8
    sync core 1, event 0
    sync core 1, event 0
    sync core 1, event 0
    sync core 1, event 0
    sync core 1, event 0
    halt
  }
}
core 1 {
  data 0x0 hex "00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
  init {
    sync core 0, event 0
    sync core 0, event 0
    sync core 0, event 0
    sync core 0, event 0
    sync core 0, event 0
    sync core 0, event 0
    sync core 0, event 0
    sync core 0, event 0
    sync core 0, event 0
    sync core 0, event 0
  }
  main {
    wait event 0, 4
    sync core 0, event 0
    sync core 0, event 0
    sync core 0, event 0
    sync core 0, event 0
    sync core 0, event 0
    sync core 0, event 0
    sync core 0, event 0
    halt
  }
}
