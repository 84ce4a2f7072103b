//! Consumers that stand on digest 0.10.

use blake3::traits_0_10::CoreBlake3;
use blake3::{Blake3, Blake3Mac, Hasher};
use hkdf_0_12::Hkdf;
use hmac_0_12::{Hmac, Mac, SimpleHmac};

use crate::{by_hand, bytes};

#[test]
fn hmac_of_both_kinds() {
    for key_length in [0, 1, 32, 64, 65, 1000] {
        let key = bytes(key_length);
        for length in [0, 1, 63, 64, 65, 1024, 4096, 4097, 20_000] {
            let message = bytes(length);
            let expected = by_hand::hmac(&key, &[&message]);
            macro_rules! check {
                ($($mac:ty),*) => {$(
                    let mut mac = <$mac>::new_from_slice(&key).expect("a key of any length");
                    mac.update(&message);
                    assert_eq!(mac.finalize().into_bytes()[..], expected);
                )*};
            }
            check!(
                Hmac<CoreBlake3>,
                SimpleHmac<CoreBlake3>,
                SimpleHmac<Blake3>,
                SimpleHmac<Hasher>
            );
        }
    }
}

#[test]
fn keyed_mode() {
    let message = bytes(3000);
    let mut mac = Blake3Mac::new(&[7; 32].into());
    mac.update(&message);
    let tag = mac.finalize_reset().into_bytes();
    assert_eq!(
        tag[..],
        *official::keyed_hash(&[7; 32], &message).as_bytes()
    );
    mac.update(&message);
    mac.verify_slice(&tag).expect("the key stays");
}

#[test]
fn hkdf_of_both_kinds() {
    let (salt, material, info) = (bytes(13), bytes(500), bytes(10));
    let expected = by_hand::hkdf(&salt, &material, &info, 100);
    let mut output = [0; 100];
    Hkdf::<CoreBlake3>::new(Some(&salt), &material)
        .expand(&info, &mut output)
        .expect("short enough");
    assert_eq!(output[..], expected);
    Hkdf::<Blake3, SimpleHmac<Blake3>>::new(Some(&salt), &material)
        .expand(&info, &mut output)
        .expect("short enough");
    assert_eq!(output[..], expected);
}

#[test]
fn pbkdf2() {
    let (password, salt) = (b"correct horse battery staple", bytes(20));
    let expected = by_hand::pbkdf2(|text| by_hand::hmac(password, &[text]), &salt, 20, 75);
    let mut output = [0; 75];
    pbkdf2_0_12::pbkdf2::<Hmac<CoreBlake3>>(password, &salt, 20, &mut output).expect("any length");
    assert_eq!(output[..], expected);
    pbkdf2_0_12::pbkdf2::<SimpleHmac<Blake3>>(password, &salt, 20, &mut output)
        .expect("any length");
    assert_eq!(output[..], expected);
}

/// NIST SP 800-56C, section 4: a counter, the secret, the context.
#[test]
fn concat_kdf() {
    let mut output = [0; 75];
    concat_kdf::derive_key_into::<Blake3>(b"secret", b"other info", &mut output).expect("short");
    let block = |counter: u32| by_hand::hash(&[&counter.to_be_bytes(), b"secret", b"other info"]);
    let expected = [block(1), block(2), block(3)].concat();
    assert_eq!(output[..], expected[..75]);
}

/// RFC 5054: both sides come to one key, and prove it.
#[test]
fn srp() {
    use num_bigint::BigUint;
    use srp::client::SrpClient;
    use srp::groups::G_1024;
    use srp::server::SrpServer;

    let client = SrpClient::<Blake3>::new(&G_1024);
    let server = SrpServer::<Blake3>::new(&G_1024);
    let (user, password, salt) = (b"alice", b"password123", b"salt");
    let verifier = client.compute_verifier(user, password, salt);
    let identity = by_hand::hash(&[user, b":", password]);
    let x = BigUint::from_bytes_be(&by_hand::hash(&[salt, &identity]));
    assert_eq!(verifier, G_1024.g.modpow(&x, &G_1024.n).to_bytes_be());

    let (a, b) = ([3; 32], [5; 32]);
    let a_pub = client.compute_public_ephemeral(&a);
    let b_pub = server.compute_public_ephemeral(&b, &verifier);
    let ours = client
        .process_reply(&a, user, password, salt, &b_pub)
        .expect("a good reply");
    let theirs = server
        .process_reply(&b, &verifier, &a_pub)
        .expect("a good reply");
    assert_eq!(ours.proof(), by_hand::hash(&[&a_pub, &b_pub, theirs.key()]));
    theirs.verify_client(ours.proof()).expect("the proof");
    ours.verify_server(theirs.proof()).expect("the proof");
    assert_eq!(ours.key(), theirs.key());

    let wrong = client
        .process_reply(&a, user, b"password", salt, &b_pub)
        .expect("a good reply");
    theirs
        .verify_client(wrong.proof())
        .expect_err("another password");
}

/// `opaque-ke` asks for `CoreProxy` with an eager core: [`CoreBlake3`] has one.
mod opaque {
    use super::CoreBlake3;
    use digest_0_10::block_buffer::Eager;
    use digest_0_10::consts::{U32, U64};
    use digest_0_10::core_api::{
        Block, BlockSizeUser, Buffer, BufferKindUser, CoreWrapper, FixedOutputCore, OutputSizeUser,
        Reset, UpdateCore,
    };
    use digest_0_10::{HashMarker, Output};
    use opaque_ke::rand::{CryptoRng, Error, RngCore};
    use opaque_ke::{
        CipherSuite, ClientLogin, ClientLoginFinishParameters, ClientRegistration,
        ClientRegistrationFinishParameters, ServerLogin, ServerLoginParameters, ServerRegistration,
        ServerSetup,
    };

    /// The official crate as such a core.
    #[derive(Clone, Default)]
    struct OfficialCore(official::Hasher);

    impl HashMarker for OfficialCore {}

    impl BlockSizeUser for OfficialCore {
        type BlockSize = U64;
    }

    impl OutputSizeUser for OfficialCore {
        type OutputSize = U32;
    }

    impl BufferKindUser for OfficialCore {
        type BufferKind = Eager;
    }

    impl Reset for OfficialCore {
        fn reset(&mut self) {
            self.0.reset();
        }
    }

    impl UpdateCore for OfficialCore {
        fn update_blocks(&mut self, blocks: &[Block<Self>]) {
            for block in blocks {
                self.0.update(block);
            }
        }
    }

    impl FixedOutputCore for OfficialCore {
        fn finalize_fixed_core(&mut self, buffer: &mut Buffer<Self>, out: &mut Output<Self>) {
            self.0.update(buffer.get_data());
            out.copy_from_slice(self.0.finalize().as_bytes());
        }
    }

    /// The same numbers in every run.
    struct Seeded(official::OutputReader);

    impl RngCore for Seeded {
        fn next_u32(&mut self) -> u32 {
            let mut bytes = [0; 4];
            self.0.fill(&mut bytes);
            u32::from_le_bytes(bytes)
        }

        fn next_u64(&mut self) -> u64 {
            let mut bytes = [0; 8];
            self.0.fill(&mut bytes);
            u64::from_le_bytes(bytes)
        }

        fn fill_bytes(&mut self, bytes: &mut [u8]) {
            self.0.fill(bytes);
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
            self.0.fill(bytes);
            Ok(())
        }
    }

    impl CryptoRng for Seeded {}

    struct Ours;

    impl CipherSuite for Ours {
        type OprfCs = opaque_ke::Ristretto255;
        type KeyExchange = opaque_ke::TripleDh<opaque_ke::Ristretto255, CoreBlake3>;
        type Ksf = opaque_ke::ksf::Identity;
    }

    struct Official;

    impl CipherSuite for Official {
        type OprfCs = opaque_ke::Ristretto255;
        type KeyExchange = opaque_ke::TripleDh<opaque_ke::Ristretto255, CoreWrapper<OfficialCore>>;
        type Ksf = opaque_ke::ksf::Identity;
    }

    /// Registers, logs in, and gives session key and export key. Checks that client and server come
    /// to the same, and that another password does not.
    macro_rules! keys {
        ($suite:ty) => {{
            let mut random = Seeded(
                official::Hasher::new()
                    .update(b"seed")
                    .clone()
                    .finalize_xof(),
            );
            let setup = ServerSetup::<$suite>::new(&mut random);
            let (user, password) = (b"alice", b"password123");

            let client = ClientRegistration::<$suite>::start(&mut random, password).expect("ok");
            let server =
                ServerRegistration::<$suite>::start(&setup, client.message, user).expect("ok");
            let parameters = ClientRegistrationFinishParameters::default();
            let registered = client
                .state
                .finish(&mut random, password, server.message, parameters)
                .expect("registered");
            let file = ServerRegistration::<$suite>::finish(registered.message);

            let mut login = |password: &[u8]| {
                let client = ClientLogin::<$suite>::start(&mut random, password).expect("ok");
                let parameters = ServerLoginParameters::default();
                let file = Some(file.clone());
                let server =
                    ServerLogin::start(&mut random, &setup, file, client.message, user, parameters)
                        .expect("started");
                let parameters = ClientLoginFinishParameters::default();
                let client = client
                    .state
                    .finish(&mut random, password, server.message, parameters);
                (client, server.state)
            };
            let (client, server) = login(password);
            let client = client.expect("the right password");
            let server = server
                .finish(client.message, ServerLoginParameters::default())
                .expect("the right client");
            assert_eq!(client.session_key, server.session_key);
            assert_eq!(client.export_key, registered.export_key);
            assert!(login(b"another password").0.is_err());
            (client.session_key, client.export_key)
        }};
    }

    #[test]
    fn login() {
        assert_eq!(keys!(Ours), keys!(Official));
    }
}
