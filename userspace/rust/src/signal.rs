// SPDX-License-Identifier: LGPL-2.1-or-later
//! What a coroutine shares with its wakers, which may be used at any time, by any thread, also when it has ended.
use crate::library::{Handle, Library};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::task::{Wake, Waker};
use std::time::Duration;

/// A thread polls it.
const RUNNING: usize = 1;
/// It was woken while it ran.
const WOKEN: usize = 2;
/// Another coroutine may have its number.
const ENDED: usize = 4;
/// One of the threads that wake it at this moment; all that are above count them.
const WAKING: usize = 8;
/// So often it is waited for who wakes it; then for longer, as a processor may be theirs only if this thread sleeps.
const TRIES: u32 = 16;
const PAUSE: Duration = Duration::from_micros(50);

pub(crate) struct Signal {
    library: &'static Library,
    handle: Handle,
    state: AtomicUsize,
}

impl Signal {
    pub(crate) fn new(library: &'static Library, handle: Handle) -> Signal {
        Signal { library, handle, state: AtomicUsize::new(0) }
    }

    /// Whoever wakes it already has done so when this returns; who does so later finds that it runs.
    pub(crate) fn begin_slice(&self) {
        let mut state = self.state.fetch_or(RUNNING, Ordering::AcqRel);

        let mut tries = 0;
        while state >= WAKING {
            if tries < TRIES {
                std::thread::yield_now();
            } else {
                std::thread::sleep(PAUSE);
            }
            tries += 1;
            state = self.state.load(Ordering::Acquire);
        }
    }

    /// Returns whether it is ready to run again.
    pub(crate) fn end_slice(&self) -> bool {
        self.state.fetch_and(!(RUNNING | WOKEN), Ordering::AcqRel) & WOKEN != 0
    }

    /// While it runs: so nobody wakes it at this moment, and nobody does later.
    pub(crate) fn end(&self) {
        self.state.fetch_or(ENDED, Ordering::AcqRel);
    }

    fn wake(&self) {
        let woken = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| match state {
            _ if state & ENDED != 0 => None,
            _ if state & RUNNING != 0 => Some(state | WOKEN),
            _ => Some(state + WAKING),
        });

        if matches!(woken, Ok(state) if state & RUNNING == 0) {
            // Safety: it has not ended, and does not before it runs.
            unsafe { (self.library.wake)(self.handle) };
            self.state.fetch_sub(WAKING, Ordering::AcqRel);
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
