// Hashes one file and measures speeds, so that the page stays alive meanwhile.
//
// In: { file } or { measure: true }. Out: { tier } once, { done, total } now and then, { digest }, { speed } for each size,
// { measured: true }, or { error }.
import init, { FileHasher, hash_official, hash_ours, tier } from './pkg/blake3_lanes_web.js';
import { SIZES, compare } from './speed.js';

const PIECE = 1 << 20;
const ready = init().then(() => postMessage({ tier: tier() }));

async function digest(file) {
    const hasher = new FileHasher();
    try {
        for (let done = 0; done < file.size; done += PIECE) {
            postMessage({ done, total: file.size });
            hasher.update(new Uint8Array(await file.slice(done, done + PIECE).arrayBuffer()));
        }
        postMessage({ done: file.size, total: file.size });
        return hasher.digest();
    } finally {
        hasher.free();
    }
}

onmessage = async ({ data }) => {
    try {
        await ready;
        if (data.measure) {
            for (const size of SIZES) {
                postMessage({ speed: compare(size, hash_ours, hash_official) });
            }
            postMessage({ measured: true });
        } else {
            postMessage({ digest: await digest(data.file) });
        }
    } catch (error) {
        postMessage({ error: String(error?.message ?? error) });
    }
};
