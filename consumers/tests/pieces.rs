//! Subtrees by serde.

use blake3::subtree::{Plan, Subtree};

#[test]
fn subtrees_are_written_and_read() {
    let input = vec![7; 10_000];
    let plan = Plan::new_keyed(&[1; 32], 10_000, 4096).expect("a good length");
    let mut from_json = Vec::new();
    for piece in plan.pieces() {
        let start = piece.offset() as usize;
        let bytes = &input[start..start + piece.len() as usize];
        let subtree = plan.hash(piece.index(), bytes).expect("whole");
        // Hexadecimal digits in formats for people.
        let json = serde_json::to_string(&subtree).expect("written");
        assert_eq!(json.len(), 2 * Subtree::BYTES + 2);
        assert!(json.starts_with("\"0101"), "{json}");
        let read: Subtree = serde_json::from_str(&json).expect("read");
        assert_eq!(read, subtree);
        from_json.push(read);
        // Bytes in others, and whatever a format makes of them.
        let bytes = postcard::to_allocvec(&subtree).expect("written");
        assert_eq!(bytes[2..], subtree.to_bytes());
        assert_eq!(
            postcard::from_bytes::<Subtree>(&bytes).expect("read"),
            subtree
        );
        let mut cbor = Vec::new();
        ciborium::into_writer(&subtree, &mut cbor).expect("written");
        assert_eq!(
            ciborium::from_reader::<Subtree, _>(&cbor[..]).expect("read"),
            subtree
        );
        for wrong in [
            json.replacen("01", "02", 1),
            json.replacen("01", "0g", 1),
            json.replacen("01", "1", 1),
            format!("[{json}]"),
            "5".to_owned(),
        ] {
            assert!(serde_json::from_str::<Subtree>(&wrong).is_err(), "{wrong}");
        }
    }
    assert_eq!(
        plan.merge(from_json).expect("all"),
        blake3::keyed_hash(&[1; 32], &input)
    );
}
