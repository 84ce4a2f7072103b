// The page's measurement, in Node: ours beside the official crate's wasm32_simd.
import { readFile } from 'node:fs/promises';
import { SIZES, compare } from '../speed.js';
import { hash_official, hash_ours, initSync } from '../pkg/blake3_lanes_web.js';

initSync({ module: await readFile(new URL('../pkg/blake3_lanes_web_bg.wasm', import.meta.url)) });
console.log('bytes blake3-lanes blake3 (ns) ratio');
for (const size of SIZES) {
    const { first, second, ratio } = compare(size, hash_ours, hash_official);
    console.log(size, first.toFixed(0), second.toFixed(0), ratio.toFixed(3));
}
