/* A layer of 12 inputs and 6 results by NeuroBoard's calls: its weights as an allocation, written in two matrices. */
#include <emu_device.h>
#include <stdint.h>
#include <stdio.h>

enum { INPUTS = 12, RESULTS = 6, HALF = RESULTS / 2 };

int main(void) {
    float weights[RESULTS][INPUTS], in[INPUTS], out[RESULTS], wanted[RESULTS];
    for (int o = 0; o < RESULTS; o++) {
        out[o] = wanted[o] = (float)o; /* a product is added to what is there */
        for (int i = 0; i < INPUTS; i++) weights[o][i] = (float)(o - i) / 4;
    }
    for (int i = 0; i < INPUTS; i++) in[i] = (float)(i % 5) / 2;
    for (int o = 0; o < RESULTS; o++)
        for (int i = 0; i < INPUTS; i++) wanted[o] += weights[o][i] * in[i];

    int64_t handle = neuro_alloc(RESULTS * INPUTS);
    for (int half = 0; half < RESULTS; half += HALF)
        neuro_write_matrix(handle, half * INPUTS, weights[half], weights[half], 0, HALF, INPUTS, INPUTS, 1);
    for (int half = 0; half < RESULTS; half += HALF)
        neuro_matvec(handle, half * INPUTS, in, in, 0, INPUTS, 1, out, out, half, 1, HALF, HALF, 1);

    int wrong = 0;
    for (int o = 0; o < RESULTS; o++) {
        wrong += out[o] != wanted[o]; /* eighths, of which no sum is rounded */
        printf("%g%s", (double)out[o], o < RESULTS - 1 ? " " : wrong ? ": WRONG\n" : ": right\n");
    }
    return wrong != 0;
}
