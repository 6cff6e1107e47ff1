// SPDX-License-Identifier: GPL-2.0
//! cost KIND COUNT: does a thing with tokio's tasks, or with futures that are wrapped, so often, and no more.
//! tests/runtimes/idle-cost counts its instructions, with the preload library and without; so does tests/cost, also of a
//! task in a span of the crate tracing.
use coroprof::{Instrumented, Label};
use futures::task::noop_waker;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::runtime::Builder;
use tokio::spawn;
use tokio::task::yield_now;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Instrument, Metadata, Subscriber};

async fn steps(count: u64) {
    for _ in 0..count {
        yield_now().await;
    }
}

async fn tasks(count: u64) {
    for _ in 0..count {
        spawn(async {}).await.unwrap();
    }
}

/// Keeps its waker, as futures do.
struct Turns(u64, Option<std::task::Waker>);

impl Future for Turns {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.0 == 0 {
            return Poll::Ready(());
        }
        self.0 -= 1;
        match &self.1 {
            Some(kept) if kept.will_wake(context.waker()) => {}
            _ => self.1 = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

fn run<F: Future + Unpin>(mut future: F) {
    let waker = noop_waker();
    let mut context = Context::from_waker(&waker);
    while Pin::new(&mut future).poll(&mut context).is_pending() {}
}

fn wrapped(count: u64) {
    let label = Label::new("one");
    for _ in 0..count {
        run(Instrumented::named(label, Turns(0, None)));
    }
}

static SEEN: AtomicU64 = AtomicU64::new(0);

/// Counts how often a span is entered and left.
struct Counts;

impl Subscriber for Counts {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {
        SEEN.fetch_add(1, Ordering::Relaxed);
    }
    fn exit(&self, _: &Id) {
        SEEN.fetch_add(1, Ordering::Relaxed);
    }
}

async fn traced(count: u64) {
    tracing::subscriber::set_global_default(Counts).unwrap();
    let span = tracing::info_span!("steps");
    spawn(steps(count).instrument(span)).await.unwrap();
    assert!(SEEN.load(Ordering::Relaxed) >= 2 * count);
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let count: u64 = arguments[2].parse().unwrap();
    let runtime = Builder::new_current_thread().build().unwrap();

    match arguments[1].as_str() {
        "step" => runtime.block_on(async move { spawn(steps(count)).await.unwrap() }),
        "traced" => runtime.block_on(traced(count)),
        "task" => runtime.block_on(async move { spawn(tasks(count)).await.unwrap() }),
        "poll" => run(Instrumented::new(Turns(count, None))),
        _ => wrapped(count),
    }
}
