// SPDX-License-Identifier: LGPL-2.1-or-later
//! The functions of libcoroprof, as coroprof.h describes them.
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Once;

/// A coroutine; 0 is the calling thread outside any.
pub(crate) type Handle = u32;

pub(crate) struct Library {
    /// None: an older one.
    pub(crate) adapter: Option<unsafe extern "C" fn(*const std::os::raw::c_char, u32)>,
    pub(crate) label: unsafe extern "C" fn(*const std::os::raw::c_char) -> u32,
    pub(crate) new: unsafe extern "C" fn(u32, Handle, u64) -> Handle,
    pub(crate) current: unsafe extern "C" fn() -> Handle,
    pub(crate) switch: unsafe extern "C" fn(Handle),
    pub(crate) switch_ready: unsafe extern "C" fn(Handle),
    pub(crate) switch_done: unsafe extern "C" fn(Handle),
    pub(crate) done: unsafe extern "C" fn(Handle),
    pub(crate) wake: unsafe extern "C" fn(Handle),
}

/// The library that the process has, if it has one. It is looked for once.
pub(crate) fn library() -> Option<&'static Library> {
    static LOOKED: Once = Once::new();
    static FOUND: AtomicPtr<Library> = AtomicPtr::new(std::ptr::null_mut());

    LOOKED.call_once(|| {
        if let Some(library) = find::find() {
            library.say_who_tells();
            FOUND.store(Box::into_raw(Box::new(library)), Ordering::Release);
        }
    });
    // Safety: it is null, or was leaked above.
    unsafe { FOUND.load(Ordering::Acquire).as_ref() }
}

impl Library {
    fn say_who_tells(&self) {
        // Births, names, wakes, ends: COROPROF_SEES_* of the module's ABI.
        const SEES: u32 = 0b1111;

        if let Some(adapter) = self.adapter {
            // Safety: a C string, which is copied.
            unsafe { adapter(b"Rust futures\0".as_ptr().cast(), SEES) }
        }
    }
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod find {
    use super::Library;
    use std::os::raw::{c_char, c_int, c_void};

    const RTLD_NOW: c_int = 2;
    const RTLD_DEFAULT: *mut c_void = std::ptr::null_mut();

    extern "C" {
        fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    pub(super) fn find() -> Option<Library> {
        // Safety: the names are C strings. The library is never unloaded.
        unsafe {
            // What is loaded comes first: two copies of the library would know nothing of each other's coroutines.
            functions(RTLD_DEFAULT).or_else(|| {
                let library = dlopen(b"libcoroprof.so.1\0".as_ptr().cast(), RTLD_NOW);
                if library.is_null() {
                    None
                } else {
                    functions(library)
                }
            })
        }
    }

    macro_rules! function {
        ($library:expr, $name:literal) => {{
            let address = dlsym($library, concat!($name, "\0").as_ptr().cast());
            if address.is_null() {
                return None;
            }
            std::mem::transmute::<*mut c_void, _>(address)
        }};
    }

    /// Safety: what has this name is libcoroprof's.
    unsafe fn adapter(library: *mut c_void) -> Option<unsafe extern "C" fn(*const c_char, u32)> {
        Some(unsafe { function!(library, "coroprof_adapter") })
    }

    /// Safety: what has these names is libcoroprof's.
    unsafe fn functions(library: *mut c_void) -> Option<Library> {
        unsafe {
            Some(Library {
                adapter: adapter(library),
                label: function!(library, "coroprof_label"),
                new: function!(library, "coroprof_new"),
                current: function!(library, "coroprof_current"),
                switch: function!(library, "coroprof_switch"),
                switch_ready: function!(library, "coroprof_switch_ready"),
                switch_done: function!(library, "coroprof_switch_done"),
                done: function!(library, "coroprof_done"),
                wake: function!(library, "coroprof_wake"),
            })
        }
    }
}

/// The kernel module is for 64-bit Linux.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
mod find {
    pub(super) fn find() -> Option<super::Library> {
        None
    }
}
