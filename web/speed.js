// The speed of two functions (input, times) beside each other, in any runtime.

export const SIZES = [64, 1 << 10, 3 << 10, 4 << 10, 7 << 10, 16 << 10, 64 << 10, 1 << 20];

const ROUNDS = 51;
/** Bytes that a round hashes at least: browsers tell the time in steps of up to 0.1 ms. */
const ROUND_BYTES = 1 << 23;
/** Milliseconds before the first round, in which the engine compiles what runs often. */
const WARM_UP = 400;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** Nanoseconds of a call of each, and the median of the pairs' ratios: above 1 where the first is faster. */
export function compare(size, first, second) {
    const input = Uint8Array.from({ length: size }, (_, i) => i % 251);
    const times = Math.ceil(ROUND_BYTES / size);
    const time = (hash) => {
        const start = performance.now();
        hash(input, times);
        return performance.now() - start;
    };
    const end = performance.now() + WARM_UP;
    do {
        time(first);
        time(second);
    } while (performance.now() < end);
    const pairs = Array.from({ length: ROUNDS }, () => [time(first), time(second)]);
    const nanoseconds = (i) => (median(pairs.map((pair) => pair[i])) * 1e6) / times;
    const ratio = median(pairs.map(([ours, theirs]) => theirs / ours));
    return { size, first: nanoseconds(0), second: nanoseconds(1), ratio };
}
