//! The boundary to JavaScript: a request in JSON goes in, a reply in JSON comes out.
//!
//! The page calls `request(length)`, which is where it writes so many bytes; then `answer()`, which is how long the reply
//! is; then `reply()`, which is where the reply stands until the next request.

#![expect(
    unsafe_code,
    reason = "only the names of these three functions: nothing here is done that Rust does not check"
)]

mod request;

use std::cell::RefCell;

thread_local! {
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static REPLY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a request of this many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn request(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        *request = vec![0; length];
        request.as_mut_ptr()
    })
}

/// Answers the request; returns the length of the reply.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let reply = REQUEST.with_borrow(|request| request::answer(request));
    REPLY.with_borrow_mut(|kept| {
        *kept = reply;
        kept.len()
    })
}

/// Where the reply is.
#[unsafe(no_mangle)]
pub extern "C" fn reply() -> *const u8 {
    REPLY.with_borrow(|reply| reply.as_ptr())
}
