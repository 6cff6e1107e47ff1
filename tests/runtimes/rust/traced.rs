// SPDX-License-Identifier: GPL-2.0

//! Tasks in spans of the crate tracing, whose names are known: of one function, in two spans, in one that nobody wants, and in
//! none; of another in the span that has its name. It knows nothing of coroprof.

use tokio::runtime::Builder;
use tokio::spawn;
use tokio::task::yield_now;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{info_span, Event, Instrument, Metadata, Subscriber};

/// Wants all spans but one.
struct Most;

impl Subscriber for Most {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.enabled(metadata) {
            Interest::always()
        } else {
            Interest::never()
        }
    }
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.name() != "unwanted"
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

async fn serves(number: u64) -> u64 {
    for _ in 0..3 {
        yield_now().await;
    }
    number
}

async fn named(number: u64) -> u64 {
    yield_now().await;
    number
}

async fn all() -> u64 {
    let mut tasks = Vec::new();

    for number in 0..2 {
        tasks.push(spawn(serves(number).instrument(info_span!("unwanted"))));
    }
    for number in 0..4 {
        tasks.push(spawn(serves(number).instrument(info_span!("GET /users", number, host = "here"))));
        tasks.push(spawn(named(number).instrument(info_span!("named"))));
    }
    for number in 0..3 {
        tasks.push(spawn(serves(number).instrument(info_span!(target: "elsewhere", "reload"))));
    }
    tasks.push(spawn(serves(1)));
    let mut sum = 0;
    for task in tasks {
        sum += task.await.unwrap();
    }
    sum
}

fn main() {
    tracing::subscriber::set_global_default(Most).unwrap();
    println!("{}", Builder::new_current_thread().build().unwrap().block_on(all()));
}
