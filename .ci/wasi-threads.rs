//! What Debian's C library for WASI lacks, and the standard library names: threads that cannot be started.
#![no_std]

const EAGAIN: i32 = 6;

#[unsafe(no_mangle)]
extern "C" fn pthread_create(_: *mut (), _: *const (), _: *const (), _: *mut ()) -> i32 {
    EAGAIN
}
#[unsafe(no_mangle)]
extern "C" fn pthread_join(_: *mut (), _: *mut ()) -> i32 {
    EAGAIN
}
#[unsafe(no_mangle)]
extern "C" fn pthread_detach(_: *mut ()) -> i32 {
    EAGAIN
}
#[unsafe(no_mangle)]
extern "C" fn pthread_attr_init(_: *mut ()) -> i32 {
    0
}
#[unsafe(no_mangle)]
extern "C" fn pthread_attr_setstacksize(_: *mut (), _: usize) -> i32 {
    0
}
#[unsafe(no_mangle)]
extern "C" fn pthread_attr_destroy(_: *mut ()) -> i32 {
    0
}
