// SPDX-License-Identifier: LGPL-2.1-or-later
//! One coroutine of libcoroprof, from birth to end, and the thread's stay in it.
use crate::label::Label;
use crate::library::{library, Handle, Library};
use crate::signal::{Signal, Told};
use std::sync::{Arc, Weak};
use std::task::Waker;

pub(crate) struct Coroutine {
    library: &'static Library,
    handle: Handle,
    signal: Arc<Signal>,
    /// The waker of before, as long as somebody has it. Only they keep the executor's: were it kept here, a task that is
    /// kept by its waker alone would keep itself for ever.
    told: Weak<Told>,
}

impl Coroutine {
    /// None: nobody is there to be told.
    pub(crate) fn new(label: Label) -> Option<Coroutine> {
        let library = library()?;
        // Safety: what runs now has not ended.
        let handle = unsafe { (library.new)(label.0, (library.current)(), 0) };

        Some(Coroutine { library, handle, signal: Arc::new(Signal::new(library, handle)), told: Weak::new() })
    }

    /// For the future, in place of `next`. The same for the same one, so that who has it can tell.
    pub(crate) fn waker(&mut self, next: &Waker) -> Waker {
        if let Some(told) = self.told.upgrade().filter(|told| told.is_for(next)) {
            return Waker::from(told);
        }
        let told = Arc::new(Told::new(&self.signal, next));

        self.told = Arc::downgrade(&told);
        Waker::from(told)
    }

    /// The thread runs it, until what is returned is dropped: also by a panic.
    pub(crate) fn enter(&self) -> Entered<'_> {
        self.signal.begin_slice();
        // Safety: neither has ended; who has the future has it alone.
        let outer = unsafe {
            let outer = (self.library.current)();
            (self.library.switch)(self.handle);
            outer
        };
        Entered { coroutine: self, outer, ends: false }
    }
}

pub(crate) struct Entered<'a> {
    coroutine: &'a Coroutine,
    outer: Handle,
    ends: bool,
}

impl Entered<'_> {
    /// It ends when this is dropped.
    pub(crate) fn last(mut self) -> Self {
        self.ends = true;
        self
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let Coroutine { library, handle, signal, .. } = self.coroutine;

        if self.ends {
            signal.end();
        }
        let ready = signal.end_slice();
        // Safety: what the thread came from has not ended, nor had this one. Code that it ran may have left it already.
        unsafe {
            match (self.ends, ready) {
                (true, _) if (library.current)() == *handle => (library.switch_done)(self.outer),
                (true, _) => {
                    (library.switch)(self.outer);
                    (library.done)(*handle);
                }
                (false, true) => (library.switch_ready)(self.outer),
                (false, false) => (library.switch)(self.outer),
            }
        }
    }
}
