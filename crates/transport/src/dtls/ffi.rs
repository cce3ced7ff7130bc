//! What the `openssl` crate does not wrap: stateless listening of DTLS, its timers, and a certificate check that
//! is entirely ours. The only `unsafe` code of DTLS.
#![expect(unsafe_code, reason = "calls of OpenSSL that its Rust crate does not wrap")]

use std::ffi::{c_int, c_long, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use openssl::error::ErrorStack;
use openssl::ssl::{SslContextBuilder, SslRef};
use openssl::x509::{X509, X509StoreContext, X509StoreContextRef, X509VerifyResult};
use openssl_sys::{SSL, SSL_CTX, SSL_ctrl, X509_STORE_CTX, stack_st_X509};

/// An address, for OpenSSL.
enum BioAddress {}

unsafe extern "C" {
    fn SSL_CTX_set_cert_verify_callback(
        context: *mut SSL_CTX,
        callback: Option<unsafe extern "C" fn(*mut X509_STORE_CTX, *mut c_void) -> c_int>,
        argument: *mut c_void,
    );
    fn X509_STORE_CTX_get0_untrusted(store: *const X509_STORE_CTX) -> *mut stack_st_X509;
    fn DTLSv1_listen(ssl: *mut SSL, client: *mut BioAddress) -> c_int;
    fn BIO_ADDR_new() -> *mut BioAddress;
    fn BIO_ADDR_free(address: *mut BioAddress);
}

/// Whether the chain that a peer presents (in DER, its own certificate first) is accepted: `X509_V_OK`, or the
/// `X509_V_ERR_...` that OpenSSL turns into an alert.
pub(super) type Verdict = fn(&SslRef, Vec<Vec<u8>>) -> c_int;

/// Lets `V` decide about certificates, instead of all of OpenSSL's checks. OpenSSL still verifies that the peer
/// has the private key.
pub(super) fn decide_by<V: Decide>(context: &mut SslContextBuilder) {
    // SAFETY: the context is valid while it is borrowed; the callback has the signature that OpenSSL documents,
    // takes no argument of ours, and lives as long as the program.
    unsafe {
        SSL_CTX_set_cert_verify_callback(context.as_ptr(), Some(verify::<V>), std::ptr::null_mut());
    }
}

/// Decides about certificates.
pub(super) trait Decide {
    /// The decision.
    const VERDICT: Verdict;
}

unsafe extern "C" fn verify<V: Decide>(store: *mut X509_STORE_CTX, _: *mut c_void) -> c_int {
    // A panic must not unwind through OpenSSL.
    let decided = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: OpenSSL passes a valid store context, exclusively ours during this call. `X509StoreContextRef`
        // is an opaque type that stands for the same C type.
        let context = unsafe { &mut *store.cast::<X509StoreContextRef>() };
        // SAFETY: as above; the stack that it returns belongs to the context.
        let shown = unsafe { shown(store) };
        let ssl = X509StoreContext::ssl_idx().ok().and_then(|index| context.ex_data(index));
        let verdict = match (ssl, shown) {
            (Some(ssl), Some(shown)) => (V::VERDICT)(ssl, shown),
            _ => openssl_sys::X509_V_ERR_APPLICATION_VERIFICATION,
        };
        // SAFETY: any number may be set; ours are OpenSSL's constants.
        context.set_error(unsafe { X509VerifyResult::from_raw(verdict) });
        verdict == openssl_sys::X509_V_OK
    }));
    c_int::from(decided.unwrap_or(false))
}

/// The certificates that the peer sent, in DER.
///
/// # Safety
/// `store` must be valid.
unsafe fn shown(store: *const X509_STORE_CTX) -> Option<Vec<Vec<u8>>> {
    // SAFETY: `store` is valid; the stack and its certificates are only borrowed.
    unsafe {
        let stack = X509_STORE_CTX_get0_untrusted(store);
        if stack.is_null() {
            return None;
        }
        let stack = stack.cast::<openssl::stack::StackRef<X509>>();
        (*stack).iter().map(|certificate| certificate.to_der().ok()).collect()
    }
}

/// Inspects a datagram that may begin a handshake, and stores nothing about the peer unless it presents a cookie
/// that we made for it (RFC 6347 section 4.2.1): then the session may continue its handshake. Otherwise what is to
/// be sent, if anything, requests the cookie.
pub(super) fn listen(ssl: &SslRef) -> bool {
    drop(ErrorStack::get());
    // SAFETY: `SslRef` is an opaque type that stands for `SSL`, and the session is exclusively ours here: its
    // owner holds the only reference. The address is created and freed here.
    let listened = unsafe {
        let address = BIO_ADDR_new();
        if address.is_null() {
            return false;
        }
        let listened = DTLSv1_listen(pointer(ssl), address);
        BIO_ADDR_free(address);
        listened
    };
    drop(ErrorStack::get());
    listened == 1
}

/// How long until the last flight must be sent again; `None` if nothing waits for an answer.
pub(super) fn time_left(ssl: &SslRef) -> Option<Duration> {
    let mut left = libc::timeval { tv_sec: 0, tv_usec: 0 };
    // SAFETY: the session is valid, and this control writes one `timeval` to the given address.
    let waits = unsafe { SSL_ctrl(pointer(ssl), DTLS_CTRL_GET_TIMEOUT, 0, (&raw mut left).cast()) };
    let (secs, micros) = (u64::try_from(left.tv_sec), u64::try_from(left.tv_usec));
    let (Ok(secs), Ok(micros), 1) = (secs, micros, waits) else { return None };
    Some(Duration::from_secs(secs) + Duration::from_micros(micros))
}

/// Sends the last flight again when its timer has expired.
///
/// # Errors
/// It was sent too often.
pub(super) fn on_timer(ssl: &SslRef) -> Result<(), ErrorStack> {
    drop(ErrorStack::get());
    // SAFETY: the session is valid and exclusively ours; this control takes no argument.
    let handled: c_long =
        unsafe { SSL_ctrl(pointer(ssl), DTLS_CTRL_HANDLE_TIMEOUT, 0, std::ptr::null_mut()) };
    if handled < 0 { Err(ErrorStack::get()) } else { Ok(()) }
}

fn pointer(ssl: &SslRef) -> *mut SSL {
    std::ptr::from_ref(ssl).cast_mut().cast()
}

const DTLS_CTRL_GET_TIMEOUT: c_int = 73;
const DTLS_CTRL_HANDLE_TIMEOUT: c_int = 74;
