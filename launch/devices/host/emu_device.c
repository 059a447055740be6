/* Forwards the calls of emu_device.h as frames over a unix-domain socket; launch/devices/wire.py says what they are. */
#define _POSIX_C_SOURCE 200809L
#include "emu_device.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "frames are little-endian, and so must be the host"
#endif
enum { WRITE = 1, MULTIPLY, BARRIER, RELEASE, DONE = 16, RESULT, ERROR }; /* operations */
enum { TYPE_none, TYPE_i8, TYPE_i16, TYPE_i32, TYPE_i64, TYPE_f32, TYPE_f64 };
enum { VERSION = 1, ACCUMULATE = 1, MOST_TEXT = 4096, BAD_CALL = 2, BUFFER = 1 << 16 };
#define NEURO (UINT64_C(1) << 32) /* keys from here on are NeuroBoard's matrices, those below are crossbars */
typedef long long number;         /* as printf takes it */

struct frame {
    char magic[4];
    uint8_t version, operation, type, flags;
    uint64_t key;
    uint32_t rows, cols, width, spare;
    uint64_t length;
};
_Static_assert(sizeof(struct frame) == 40, "a frame has 40 bytes");

struct view { /* a memref; strides in elements of `size` bytes */
    char *data;
    int64_t rows, cols, row_stride, col_stride, size;
};
static struct product { /* under way: where its result goes */
    uint64_t key;
    uint8_t type;
    struct view result;
} *products;
static struct matrix { /* NeuroBoard's, `rows` results of `cols` inputs; its place here is its key */
    int64_t handle, offset, rows, cols;
} *matrices;
static int64_t *sizes, allocations, matrix_count, product_count;
static emu_device_handler handler;
static int device = -1;
static char sent[BUFFER], got[BUFFER];
static size_t sent_end, got_begin, got_end;

void emu_device_on_error(emu_device_handler given) { handler = given; }
static void forget_products(uint64_t key) {
    int64_t kept = 0;
    for (int64_t i = 0; i < product_count; i++)
        if (products[i].key != key) products[kept++] = products[i];
    product_count = kept;
}

void emu_device_close(void) {
    if (device >= 0) close(device);
    device = -1, matrix_count = product_count = 0;
    sent_end = got_begin = got_end = 0;
}

static int fail(int code, const char *format, ...) {
    char sentence[MOST_TEXT + 200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (handler) return handler(code, sentence), -1;
    fprintf(stderr, "error: %s\n", sentence);
    exit(code);
}

static void *more(void *old, int64_t count, size_t size) {
    void *made = realloc(old, (size_t)count * size);
    if (!made) fail(BAD_CALL, "no memory is left for calls of the device"), abort();
    return made;
}

static int hung_up(const char *why) { return emu_device_close(), fail(BAD_CALL, "the device %s", why); }
static int get(char *into, size_t size) {
    while (size) {
        if (got_begin == got_end) {
            ssize_t count = recv(device, got, BUFFER, 0);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return hung_up("has hung up: it has ended, or was ended");
            got_begin = 0, got_end = (size_t)count;
        }
        size_t part = got_end - got_begin < size ? got_end - got_begin : size;
        memcpy(into, got + got_begin, part);
        into += part, size -= part, got_begin += part;
    }
    return 0;
}

/* The next answer, which has to be `wanted` with `length` bytes behind it. */
static int answer(uint8_t wanted, uint8_t type, uint64_t length) {
    struct frame head;
    char text[MOST_TEXT + 1];
    if (get((char *)&head, sizeof head)) return -1;
    int known = !memcmp(head.magic, "EMUD", 4) && head.version == VERSION;
    if (known && head.operation == ERROR && head.length <= MOST_TEXT) {
        if (get(text, head.length)) return -1;
        return text[head.length] = 0, fail(head.flags, "%s", text);
    }
    if (known && head.operation == wanted && head.type == type && head.length == length) return 0;
    return hung_up("answers what is no answer: it is of another version than this program");
}

static int flush(void) {
    for (size_t begin = 0; begin < sent_end;) {
        ssize_t count = send(device, sent + begin, sent_end - begin, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) return answer(ERROR, TYPE_none, 0), emu_device_close(), -1; /* it says why */
        begin += count > 0 ? (size_t)count : 0;
    }
    return sent_end = 0, 0;
}

static int put(char *from, size_t size) {
    while (size) {
        if (sent_end == BUFFER && flush()) return -1;
        size_t part = BUFFER - sent_end < size ? BUFFER - sent_end : size;
        memcpy(sent + sent_end, from, part), from += part, size -= part, sent_end += part;
    }
    return 0;
}

/* Send (`put`) or fill (`get`) all elements of a view, row by row. */
static int move(const struct view *v, int (*how)(char *, size_t)) {
    int64_t together = v->col_stride == 1 ? v->cols : 1;
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t j = 0; j < v->cols; j += together)
            if (how(v->data + (i * v->row_stride + j * v->col_stride) * v->size, (size_t)(v->size * together)))
                return -1;
    return 0;
}

static int connected(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("EMU_DEVICE");
    if (device >= 0) return 0;
    if (!path || !*path)
        return fail(BAD_CALL, "EMU_DEVICE names no device: start the program by `emu device -- PROGRAM`, or let it name"
                              " the socket of `emu device --serve`");
    if (strlen(path) >= sizeof address.sun_path) return fail(BAD_CALL, "EMU_DEVICE is too long for a socket: %s", path);
    strcpy(address.sun_path, path);
    device = socket(AF_UNIX, SOCK_STREAM, 0);
    if (device >= 0 && !connect(device, (struct sockaddr *)&address, sizeof address))
        return answer(DONE, TYPE_none, 0) ? emu_device_close(), -1 : 0;
    const char *why = strerror(errno);
    return emu_device_close(), fail(BAD_CALL, "no device at %s: %s", path, why);
}

static int request(uint8_t operation, uint8_t type, uint8_t flags, uint64_t key, const struct view *v, int64_t width) {
    struct frame head = {{'E', 'M', 'U', 'D'}, VERSION, operation, type, flags, key, 0, 0, (uint32_t)width, 0, 0};
    if (v) {
        if ((v->rows | v->cols | width) >> 32)
            return fail(BAD_CALL, "a matrix of %lld x %lld is impossible", (number)v->rows, (number)v->cols);
        head.rows = (uint32_t)v->rows, head.cols = (uint32_t)v->cols;
        head.length = (uint64_t)v->rows * (uint64_t)(v->cols + (flags ? width : 0)) * (uint64_t)v->size;
    }
    return connected() ? -1 : put((char *)&head, sizeof head);
}

static int write_matrix(uint64_t key, uint8_t type, struct view v) {
    return request(WRITE, type, 0, key, &v, 0) || move(&v, put) || flush() || answer(DONE, TYPE_none, 0) ? -1 : 0;
}

/* `width` results per row of vectors; with `flags` ACCUMULATE they are added to what stands in `result`. */
static int multiply(uint64_t key, uint8_t type, uint8_t flags, struct view lhs, struct view result, int64_t width) {
    if (!flags && lhs.rows != result.rows)
        return fail(BAD_CALL, "%lld rows have no product of %lld", (number)lhs.rows, (number)result.rows);
    if (request(MULTIPLY, type, flags, key, &lhs, width) || move(&lhs, put)) return -1;
    if ((flags && move(&result, put)) || flush()) return -1;
    products = more(products, product_count + 1, sizeof *products);
    return products[product_count++] = (struct product){key, type, result}, 0;
}

static int done(void) { return flush() || answer(DONE, TYPE_none, 0); }
static int release(uint64_t key) { return request(RELEASE, TYPE_none, 0, key, NULL, 0) || done(); }
static void barrier(uint64_t key) {
    int failed = request(BARRIER, TYPE_none, 0, key, NULL, 0) || flush();
    for (int64_t i = 0; i < product_count && !failed; i++) {
        const struct view *v = &products[i].result;
        if (products[i].key == key)
            failed = answer(RESULT, products[i].type, (uint64_t)(v->rows * v->cols * v->size)) || move(v, get);
    }
    if (!failed) answer(DONE, TYPE_none, 0);
    forget_products(key);
}

#define VIEW1(m) ((struct view){(char *)(m##_data + m##_offset), 1, m##_size, 0, m##_stride, sizeof *m##_data})
#define VIEW2(m)                                                                                                       \
    ((struct view){(char *)(m##_data + m##_offset), m##_size0, m##_size1, m##_stride0, m##_stride1, sizeof *m##_data})
#define DEFINE(T, type)                                                                                                \
    void memristor_write_to_crossbar_##type(int32_t xbar, EMU_RANK2(T, rhs)) {                                         \
        (void)rhs_base;                                                                                                \
        write_matrix((uint32_t)xbar, TYPE_##type, VIEW2(rhs));                                                         \
    }                                                                                                                  \
    void memristor_gemm_##type(int32_t xbar, EMU_RANK2(T, lhs), EMU_RANK2(T, result)) {                                \
        (void)lhs_base, (void)result_base;                                                                             \
        multiply((uint32_t)xbar, TYPE_##type, 0, VIEW2(lhs), VIEW2(result), result_size1);                             \
    }                                                                                                                  \
    void memristor_gevm_##type(int32_t xbar, EMU_RANK1(T, lhs), EMU_RANK1(T, result)) {                                \
        (void)lhs_base, (void)result_base;                                                                             \
        multiply((uint32_t)xbar, TYPE_##type, 0, VIEW1(lhs), VIEW1(result), result_size);                              \
    }
EMU_TYPES(DEFINE)

void memristor_barrier(int32_t xbar) { barrier((uint32_t)xbar); }
void memristor_release(int32_t xbar) { release((uint32_t)xbar); }

int64_t neuro_alloc(int64_t size) {
    if (size < 0) return fail(BAD_CALL, "%lld floats cannot be allocated", (number)size);
    sizes = more(sizes, allocations + 1, sizeof *sizes);
    return sizes[allocations] = size, allocations++;
}

void neuro_write_matrix(int64_t handle, int64_t offset, EMU_RANK2(float, matrix)) {
    struct view v = VIEW2(matrix), turned = {v.data, v.cols, v.rows, v.col_stride, v.row_stride, v.size};
    int64_t place = matrix_count, room = handle < 0 || handle >= allocations ? 0 : sizes[handle];
    (void)matrix_base;
    if (offset < 0 || v.rows < 1 || v.cols < 1 || offset > room || v.cols > (room - offset) / v.rows) {
        fail(BAD_CALL, "%lld x %lld floats at %lld do not fit into allocation %lld, which has %lld", (number)v.rows,
             (number)v.cols, (number)offset, (number)handle, (number)room);
        return;
    }
    for (int64_t i = 0; i < matrix_count; i++) {
        struct matrix *old = &matrices[i];
        if (old->handle == handle && old->offset == offset && old->rows == v.rows && old->cols == v.cols) {
            place = i;
        } else if (old->handle == handle && old->offset < offset + v.rows * v.cols &&
                   offset < old->offset + old->rows * old->cols) { /* overwritten, if only in part */
            old->handle = -1;
            if (release(NEURO + (uint64_t)i)) return;
        }
    }
    if (write_matrix(NEURO + (uint64_t)place, TYPE_f32, turned) || place < matrix_count) return;
    matrices = more(matrices, ++matrix_count, sizeof *matrices);
    matrices[place] = (struct matrix){handle, offset, v.rows, v.cols};
}

void neuro_matvec(int64_t handle, int64_t offset, EMU_RANK1(float, in), EMU_RANK2(float, out)) {
    int64_t i = 0, rows = out_size0 * out_size1;
    (void)in_base, (void)out_base;
    while (i < matrix_count && (matrices[i].handle != handle || matrices[i].offset != offset ||
                                matrices[i].rows != rows || matrices[i].cols != in_size))
        i++;
    if (i == matrix_count)
        fail(BAD_CALL, "no matrix of %lld x %lld floats is written at %lld of allocation %lld", (number)rows,
             (number)in_size, (number)offset, (number)handle);
    else if (!multiply(NEURO + (uint64_t)i, TYPE_f32, ACCUMULATE, VIEW1(in), VIEW2(out), rows))
        barrier(NEURO + (uint64_t)i);
}
