// SPDX-License-Identifier: GPL-2.0
//! Futures wrapped in coroprof's Instrumented, whose work is known, with an executor of this program's own and with those of
//! the crate futures: COUNT of three kinds that run loops of 1, 5 and 20 units, TURNS times, and sleep in between. One
//! sleeps alone, one waits while another works, one wakes itself, one holds another within it. One is cancelled, one never
//! begins, one is forgotten by all who could wake it, and all work as they are dropped; one panics; one is polled by one
//! thread after another. With "bare" nothing is wrapped.
mod executor;
mod spin;

use coroprof::{Instrumented, Label};
use executor::{sleep, Executor};
use futures::channel::mpsc;
use futures::executor::{block_on, LocalPool, ThreadPool};
use futures::future::join_all;
use futures::sink::SinkExt;
use futures::stream::StreamExt;
use futures::task::{noop_waker, LocalSpawnExt, SpawnExt};
use std::future::{pending, Future};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

const COUNT: usize = 4;
const TURNS: u64 = 5;
const UNIT: u64 = 200000;
const NAP: Duration = Duration::from_millis(2);

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

fn work(units: u64) {
    spin::rounds(units * UNIT);
}

fn is_bare() -> bool {
    std::env::args().any(|argument| argument == "bare")
}

fn wrap<F: Future + Send + 'static>(future: F) -> Boxed<F::Output> {
    if is_bare() {
        Box::pin(future)
    } else {
        Box::pin(Instrumented::new(future))
    }
}

fn wrap_named<F: Future + Send + 'static>(label: impl Into<Label>, future: F) -> Boxed<F::Output> {
    if is_bare() {
        Box::pin(future)
    } else {
        Box::pin(Instrumented::named(label, future))
    }
}

async fn turns(units: u64) {
    for _ in 0..TURNS {
        work(units);
        sleep(NAP).await;
    }
}

async fn light() {
    turns(1).await;
}

async fn middle() {
    turns(5).await;
}

async fn heavy() {
    turns(20).await;
}

async fn naps() {
    for _ in 0..TURNS {
        sleep(NAP).await;
    }
}

async fn waits(mut told: mpsc::Receiver<&'static str>) {
    println!("{}", told.next().await.unwrap());
}

/// Polled TURNS times.
struct Countdown(u64);

impl Future for Countdown {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        work(1);
        self.0 -= 1;
        if self.0 == 0 {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

async fn inner() {
    turns(20).await;
}

async fn outer() {
    let within = wrap(inner());
    work(5);
    within.await;
    work(5);
}

struct Cleans;

impl Drop for Cleans {
    fn drop(&mut self) {
        work(5);
        println!("cleaned");
    }
}

async fn cancelled(_cleans: Cleans) {
    pending::<()>().await;
}

async fn unborn(_cleans: Cleans) {}

async fn fails() {
    work(5);
    panic!("failed");
}

async fn moved() {
    for _ in 0..TURNS {
        work(5);
        Countdown(2).await;
    }
}

async fn forgotten(_cleans: Cleans) {
    pending::<()>().await;
}

async fn threaded(mut from: mpsc::Receiver<u64>, mut to: mpsc::Sender<u64>) -> u64 {
    let mut sum = 0;
    for _ in 0..TURNS {
        work(5);
        if to.send(1).await.is_ok() {
            sum += from.next().await.unwrap_or(0);
        }
    }
    sum
}

async fn pooled() {
    for _ in 0..TURNS {
        work(5);
        Countdown(2).await;
    }
}

fn one_by_one() {
    let executor = Executor::new();
    executor.spawn(wrap(naps()));
    executor.run();

    let (mut tell, told) = mpsc::channel(1);
    executor.spawn(wrap(waits(told)));
    executor.run();
    work(20);
    tell.try_send("waited").unwrap();
    executor.run();

    executor.spawn(wrap(Countdown(TURNS)));
    executor.spawn(wrap(outer()));
    executor.spawn(wrap_named("named by hand", async { work(5) }));
    executor.run();
    executor.spawn(wrap(fails()));
    executor.run();
}

fn together() {
    let executor = Executor::new();
    for _ in 0..COUNT {
        executor.spawn(wrap(light()));
        executor.spawn(wrap(middle()));
        executor.spawn(wrap(heavy()));
    }
    executor.run();
}

fn dropped() {
    let waker = noop_waker();
    let mut victim = wrap(cancelled(Cleans));
    println!("{}", victim.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    drop(victim);
    drop(wrap(unborn(Cleans)));
}

/// Each time by a new thread, until it is ready.
fn one_thread_after_another() {
    let mut future = wrap(moved());
    loop {
        let polled = std::thread::spawn(move || {
            let ready = future.as_mut().poll(&mut Context::from_waker(&noop_waker())).is_ready();
            (future, ready)
        });
        let (back, ready) = polled.join().unwrap();
        if ready {
            return;
        }
        future = back;
    }
}

/// Nobody has its waker: nobody but itself could keep it.
fn by_none_but_itself() {
    let executor = Executor::new();
    executor.spawn(wrap(forgotten(Cleans)));
    executor.run();
}

fn of_futures() {
    let mut local = LocalPool::new();
    local.spawner().spawn_local(wrap(pooled())).unwrap();
    local.run();

    let threads = ThreadPool::builder().pool_size(2).create().unwrap();
    let mut results = Vec::new();
    for _ in 0..COUNT {
        let (one, other) = (mpsc::channel(1), mpsc::channel(1));
        results.push(threads.spawn_with_handle(wrap(threaded(one.1, other.0))).unwrap());
        results.push(threads.spawn_with_handle(wrap(threaded(other.1, one.0))).unwrap());
    }
    println!("{}", block_on(join_all(results)).iter().sum::<u64>());
}

fn main() {
    one_by_one();
    together();
    dropped();
    one_thread_after_another();
    by_none_but_itself();
    of_futures();
    std::process::exit(7);
}
