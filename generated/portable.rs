//! Stand-in until the generator writes this file.
#[allow(missing_docs)]
pub(crate) const fn compress(cv: &[u32; 8], block: &[u32; 16], counter: u64, block_len: u32, flags: u32) -> [u32; 16] {
    const IV: [u32; 8] = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19];
    const P: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    const Q: [[usize; 4]; 8] = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];
    let mut v = [cv[0], cv[1], cv[2], cv[3], cv[4], cv[5], cv[6], cv[7], IV[0], IV[1], IV[2], IV[3], counter as u32, (counter >> 32) as u32, block_len, flags];
    let mut m = *block;
    let mut r = 0;
    while r < 7 {
        let mut g = 0;
        while g < 8 {
            let [a, b, c, d] = Q[g];
            v[a] = v[a].wrapping_add(v[b]).wrapping_add(m[2 * g]);
            v[d] = (v[d] ^ v[a]).rotate_right(16);
            v[c] = v[c].wrapping_add(v[d]);
            v[b] = (v[b] ^ v[c]).rotate_right(12);
            v[a] = v[a].wrapping_add(v[b]).wrapping_add(m[2 * g + 1]);
            v[d] = (v[d] ^ v[a]).rotate_right(8);
            v[c] = v[c].wrapping_add(v[d]);
            v[b] = (v[b] ^ v[c]).rotate_right(7);
            g += 1;
        }
        let o = m;
        let mut i = 0;
        while i < 16 {
            m[i] = o[P[i]];
            i += 1;
        }
        r += 1;
    }
    let mut i = 0;
    while i < 8 {
        v[i] ^= v[i + 8];
        v[i + 8] ^= cv[i];
        i += 1;
    }
    v
}
