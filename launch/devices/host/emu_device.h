/* Calls that compiled hosts make: those of Cinnamon's `memristor` dialect, and those of NeuroBoard.
 *
 * They go to the device whose socket the environment variable EMU_DEVICE names (`emu device -- PROGRAM` sets it); the
 * first call connects. A memref of rank 2 is seven arguments, one of rank 1 five; strides count elements, and may be
 * any. For one thread at a time. */
#ifndef EMU_DEVICE_H
#define EMU_DEVICE_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define EMU_RANK1(T, name)                                                                                             \
    T *name##_base, T *name##_data, int64_t name##_offset, int64_t name##_size, int64_t name##_stride
#define EMU_RANK2(T, name)                                                                                             \
    T *name##_base, T *name##_data, int64_t name##_offset, int64_t name##_size0, int64_t name##_size1,                 \
        int64_t name##_stride0, int64_t name##_stride1
#define EMU_TYPES(DO) DO(int8_t, i8) DO(int16_t, i16) DO(int32_t, i32) DO(int64_t, i64) DO(float, f32) DO(double, f64)

/* `xbar` is a number of the host's choice: it stands for crossbars of the size and type that were last written to it.
 * A write returns when the matrix is there. Products return at once; `memristor_barrier` fills their results, which
 * have the type of the operands, and whatever stood there is overwritten. */
#define EMU_DECLARE(T, type)                                                                                           \
    void memristor_write_to_crossbar_##type(int32_t xbar, EMU_RANK2(T, rhs));                                          \
    void memristor_gemm_##type(int32_t xbar, EMU_RANK2(T, lhs), EMU_RANK2(T, result));                                 \
    void memristor_gevm_##type(int32_t xbar, EMU_RANK1(T, lhs), EMU_RANK1(T, result));
EMU_TYPES(EMU_DECLARE)
void memristor_barrier(int32_t xbar);
void memristor_release(int32_t xbar); /* gives its crossbars back; products that are under way are finished */

/* An allocation is a flat array of `size` floats, into which matrices are written at offsets. A product is
 * out += weights[offset : offset + in.size * out.size].reshape(out.size, in.size) @ in, of a matrix written there. */
int64_t neuro_alloc(int64_t size);
void neuro_write_matrix(int64_t handle, int64_t offset, EMU_RANK2(float, matrix));
void neuro_matvec(int64_t handle, int64_t offset, EMU_RANK1(float, in), EMU_RANK2(float, out));

/* What is done about an error, in place of a sentence on stderr and an exit with `code`: 2 for a call that cannot be
 * done, 3, 5 or 6 if the device has ended (a board failed, a core died, or took too long). The call then returns. */
typedef void (*emu_device_handler)(int code, const char *sentence);
void emu_device_on_error(emu_device_handler handler);

void emu_device_close(void); /* hang up, which frees all crossbars, as the end of the program does */
#ifdef __cplusplus
}
#endif
#endif
