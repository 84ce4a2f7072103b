//! What is built on a hash, from the specifications, on the official `blake3` crate.

pub(crate) fn hash(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = official::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

pub(crate) fn xof(parts: &[&[u8]], len: usize) -> Vec<u8> {
    let mut hasher = official::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    let mut output = vec![0; len];
    hasher.finalize_xof().fill(&mut output);
    output
}

pub(crate) fn derive(context: &str, material: &[u8], len: usize) -> Vec<u8> {
    let mut output = vec![0; len];
    let mut hasher = official::Hasher::new_derive_key(context);
    hasher.update(material);
    hasher.finalize_xof().fill(&mut output);
    output
}

/// RFC 2104, section 2, with blocks of 64 bytes.
pub(crate) fn hmac(key: &[u8], message: &[&[u8]]) -> [u8; 32] {
    let mut block = [0; 64];
    if key.len() <= 64 {
        block[..key.len()].copy_from_slice(key);
    } else {
        block[..32].copy_from_slice(&hash(&[key]));
    }
    let inner_pad = block.map(|byte| byte ^ 0x36);
    let outer_pad = block.map(|byte| byte ^ 0x5c);
    let inner = hash(&[&[&inner_pad[..]], message].concat());
    hash(&[&outer_pad, &inner])
}

/// RFC 5869, section 2.
pub(crate) fn hkdf(salt: &[u8], material: &[u8], info: &[u8], len: usize) -> Vec<u8> {
    hkdf_expand(&hmac(salt, &[material]), info, len)
}

/// RFC 5869, section 2.3.
pub(crate) fn hkdf_expand(key: &[u8], info: &[u8], len: usize) -> Vec<u8> {
    let mut output = Vec::new();
    let mut last = Vec::new();
    for counter in 1..=len.div_ceil(32) as u8 {
        last = hmac(key, &[&last, info, &[counter]]).to_vec();
        output.extend(&last);
    }
    output.truncate(len);
    output
}

/// RFC 8018, section 5.2, with any pseudorandom function.
pub(crate) fn pbkdf2(
    function: impl Fn(&[u8]) -> [u8; 32],
    salt: &[u8],
    rounds: u32,
    len: usize,
) -> Vec<u8> {
    let mut output = Vec::new();
    for block in 1..=len.div_ceil(32) as u32 {
        let mut last = function(&[salt, &block.to_be_bytes()].concat());
        let mut sum = last;
        for _ in 1..rounds {
            last = function(&last);
            for (sum, byte) in sum.iter_mut().zip(last) {
                *sum ^= byte;
            }
        }
        output.extend(sum);
    }
    output.truncate(len);
    output
}

/// MGF1 of RFC 8017, appendix B.2.1.
pub(crate) fn mgf1(seed: &[u8], len: usize) -> Vec<u8> {
    let mut output = Vec::new();
    for counter in 0..len.div_ceil(32) as u32 {
        output.extend(hash(&[seed, &counter.to_be_bytes()]));
    }
    output.truncate(len);
    output
}

pub(crate) fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// `expand_message_xmd` of RFC 9380, section 5.3.1.
pub(crate) fn expand_xmd(message: &[u8], tag: &[u8], len: u16) -> Vec<u8> {
    let tag = [tag, &[tag.len() as u8]].concat();
    let first = hash(&[&[0; 64], message, &len.to_be_bytes(), &[0], &tag]);
    let mut last = hash(&[&first, &[1], &tag]);
    let mut output = last.to_vec();
    for i in 2..=usize::from(len).div_ceil(32) as u8 {
        last = hash(&[&xor(&first, &last), &[i], &tag]);
        output.extend(last);
    }
    output.truncate(len.into());
    output
}

/// `expand_message_xof` of RFC 9380, section 5.3.2.
pub(crate) fn expand_xof(message: &[u8], tag: &[u8], len: u16) -> Vec<u8> {
    let tag = [tag, &[tag.len() as u8]].concat();
    xof(&[message, &len.to_be_bytes(), &tag], len.into())
}

/// The first candidate of RFC 6979, section 3.2, for a group order of 256 bits above the hash, and
/// not below the candidate.
pub(crate) fn rfc6979(secret: &[u8; 32], hash: &[u8; 32]) -> [u8; 32] {
    let (mut k, mut v) = ([0; 32], [1; 32]);
    for step in [0, 1] {
        k = hmac(&k, &[&v, &[step], secret, hash]);
        v = hmac(&k, &[&v]);
    }
    hmac(&k, &[&v])
}
