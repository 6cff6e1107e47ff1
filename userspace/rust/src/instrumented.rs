// SPDX-License-Identifier: LGPL-2.1-or-later
use crate::coroutine::Coroutine;
use crate::label::Label;
use std::future::Future;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A future that is a coroutine to coroprof.
///
/// It may be polled by one thread after another, and within another `Instrumented`: the time within is its own, and the
/// other goes on behind it. When it is dropped before it is ready, what it does then is still its own.
#[must_use = "futures do nothing unless polled"]
pub struct Instrumented<F> {
    /// None: it has ended, or there is no library.
    coroutine: Option<Coroutine>,
    future: ManuallyDrop<F>,
}

impl<F: Future> Instrumented<F> {
    /// A coroutine named after the future's type: of an `async fn` the function's path. What runs now is its parent.
    pub fn new(future: F) -> Instrumented<F> {
        Instrumented::named(Label::of::<F>(), future)
    }

    /// A coroutine of this label, which may be a text.
    pub fn named(label: impl Into<Label>, future: F) -> Instrumented<F> {
        Instrumented { coroutine: Coroutine::new(label.into()), future: ManuallyDrop::new(future) }
    }
}

impl<F: Future> Future for Instrumented<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // Safety: the future is not moved.
        let this = unsafe { self.get_unchecked_mut() };
        let future = unsafe { Pin::new_unchecked(&mut *this.future) };
        let coroutine = match &mut this.coroutine {
            Some(coroutine) => coroutine,
            None => return future.poll(context),
        };
        let waker = coroutine.waker(context.waker());
        let entered = coroutine.enter();
        let polled = future.poll(&mut Context::from_waker(&waker));

        if polled.is_ready() {
            drop(entered.last());
            this.coroutine = None;
        }
        polled
    }
}

impl<F> Drop for Instrumented<F> {
    fn drop(&mut self) {
        // It ends once the future is gone, also if that panics.
        let _entered = self.coroutine.as_ref().map(|coroutine| coroutine.enter().last());
        // Safety: once, and where it is.
        unsafe { ManuallyDrop::drop(&mut self.future) };
    }
}
