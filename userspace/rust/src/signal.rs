// SPDX-License-Identifier: LGPL-2.1-or-later
//! What a coroutine shares with its wakers, which may be used at any time, by any thread, also when it has ended.
use crate::library::{Handle, Library, THREAD};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Wake, Waker};

struct State {
    /// `THREAD` once it has ended: another may have its number then.
    handle: Handle,
    running: bool,
    /// It was woken while it ran.
    woken: bool,
}

pub(crate) struct Signal {
    library: &'static Library,
    state: Mutex<State>,
}

impl Signal {
    pub(crate) fn new(library: &'static Library, handle: Handle) -> Signal {
        Signal { library, state: Mutex::new(State { handle, running: false, woken: false }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(crate) fn begin_slice(&self) {
        let mut state = self.state();

        state.running = true;
        state.woken = false;
    }

    /// Returns whether it is ready to run again.
    pub(crate) fn end_slice(&self) -> bool {
        let mut state = self.state();

        state.running = false;
        state.woken
    }

    pub(crate) fn end(&self) {
        self.state().handle = THREAD;
    }

    /// The lock is held to the end: until then it can't have ended.
    fn wake(&self) {
        let mut state = self.state();

        if state.running {
            state.woken = true;
        } else if state.handle != THREAD {
            // Safety: it has not ended.
            unsafe { (self.library.wake)(state.handle) };
        }
    }
}

/// A waker that tells the coroutine's, and then the executor's.
pub(crate) struct Told {
    signal: Arc<Signal>,
    next: Waker,
}

impl Told {
    pub(crate) fn new(signal: &Arc<Signal>, next: &Waker) -> Told {
        Told { signal: signal.clone(), next: next.clone() }
    }

    pub(crate) fn is_for(&self, next: &Waker) -> bool {
        self.next.will_wake(next)
    }
}

impl Wake for Told {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.signal.wake();
        self.next.wake_by_ref();
    }
}
