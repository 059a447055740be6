/* A product M x K x N in tiles of 64 x 64 on four crossbars, as compilers of hosts tile it: plain, and interchanged.
 *
 * Plain, a tile of B is written for each tile of the result. Interchanged, the loop over rows of A stands inside: each
 * tile of B is written once, so there are ceil(M / 64) times fewer writes. */
#include <emu_device.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TILE = 64, CROSSBARS = 4 };
#define BY(at, size) ((at) + TILE < (size) ? TILE : (size) - (at))           /* how much of a tile there is */
#define PART(m, i, j, rows, cols, ld) m, m, (i) * (ld) + (j), rows, cols, ld, 1 /* a memref: part of a matrix */

static int64_t M = 192, K = 128, N = 256, writes;
static int32_t *A, *B, *C, *parts[CROSSBARS];

static void write_tile(int32_t crossbar, int64_t k, int64_t j) {
    memristor_write_to_crossbar_i32(crossbar, PART(B, k, j, BY(k, K), BY(j, N), N));
    writes++;
}

/* Tiles (i, j), (i, j + 64) ... of the result, one per crossbar: products of all are under way at once. */
static void multiply_tiles(int64_t i, int64_t j, int64_t k) {
    for (int32_t x = 0; x < CROSSBARS && j + x * TILE < N; x++) {
        int64_t at = j + x * TILE;
        memristor_gemm_i32(x, PART(A, i, k, BY(i, M), BY(k, K), K), PART(parts[x], 0, 0, BY(i, M), BY(at, N), TILE));
    }
    for (int32_t x = 0; x < CROSSBARS && j + x * TILE < N; x++) {
        int64_t at = j + x * TILE;
        memristor_barrier(x);
        for (int64_t r = 0; r < BY(i, M); r++)
            for (int64_t c = 0; c < BY(at, N); c++) C[(i + r) * N + at + c] += parts[x][r * TILE + c];
    }
}

static void plain(void) {
    for (int64_t i = 0; i < M; i += TILE)
        for (int64_t j = 0; j < N; j += CROSSBARS * TILE)
            for (int64_t k = 0; k < K; k += TILE) {
                for (int32_t x = 0; x < CROSSBARS && j + x * TILE < N; x++) write_tile(x, k, j + x * TILE);
                multiply_tiles(i, j, k);
            }
}

static void interchanged(void) {
    for (int64_t k = 0; k < K; k += TILE)
        for (int64_t j = 0; j < N; j += CROSSBARS * TILE) {
            for (int32_t x = 0; x < CROSSBARS && j + x * TILE < N; x++) write_tile(x, k, j + x * TILE);
            for (int64_t i = 0; i < M; i += TILE) multiply_tiles(i, j, k);
        }
}

static int64_t wrong(void) {
    int64_t found = 0;
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < N; j++) {
            int32_t sum = 0;
            for (int64_t k = 0; k < K; k++) sum += A[i * K + k] * B[k * N + j];
            found += sum != C[i * N + j];
        }
    return found;
}

static int run(const char *name, void (*how)(void)) {
    for (int64_t i = 0; i < M * N; i++) C[i] = 0;
    writes = 0;
    how();
    int64_t faults = wrong();
    printf("%-13s %3lld writes of a tile, %s\n", name, (long long)writes, faults ? "WRONG" : "right");
    return faults != 0;
}

static int32_t *matrix(int64_t rows, int64_t cols) {
    int32_t *made = malloc((size_t)(rows * cols) * sizeof *made);
    if (!made) exit(1);
    for (int64_t i = 0; i < rows * cols; i++) made[i] = rand() % 255 - 127;
    return made;
}

int main(int count, char **words) {
    if (count == 4) M = atoll(words[1]), K = atoll(words[2]), N = atoll(words[3]);
    if ((count != 1 && count != 4) || M < 1 || K < 1 || N < 1) return fputs("usage: tiled [M K N]\n", stderr), 2;
    A = matrix(M, K), B = matrix(K, N), C = matrix(M, N);
    for (int x = 0; x < CROSSBARS; x++) parts[x] = matrix(TILE, TILE);
    int failed = run("plain", plain) + run("interchanged", interchanged);
    free(A), free(B), free(C);
    for (int x = 0; x < CROSSBARS; x++) free(parts[x]);
    return failed != 0;
}
