// SPDX-License-Identifier: GPL-2.0
//! Tasks whose work is known: COUNT of three kinds that run loops of 1, 5 and 20 units, TURNS times, and sleep in between.
//! One sleeps alone, one waits while another works, one only gives way. One is cancelled, one is pending when its runtime
//! ends, and both work as they are dropped; one panics; one is local to its thread; some run on two threads, and are
//! woken by each other; one runs in a forked child. It knows nothing of coroprof. With an argument it waits for a line
//! before all that.
mod spin;

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{spawn_blocking, spawn_local, yield_now, LocalSet};
use tokio::{spawn, time};

const COUNT: usize = 4;
const TURNS: u64 = 5;
const UNIT: u64 = 200000;
const NAP: Duration = Duration::from_millis(2);

extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(status: i32) -> !;
}

fn work(units: u64) {
    spin::rounds(units * UNIT);
}

async fn nap(result: u64) -> u64 {
    time::sleep(NAP).await;
    result
}

async fn turns(units: u64) -> u64 {
    let mut done = 0;
    for _ in 0..TURNS {
        work(units);
        done += nap(units).await;
    }
    done
}

async fn light() -> u64 {
    turns(1).await
}

async fn middle() -> u64 {
    turns(5).await
}

async fn heavy() -> u64 {
    turns(20).await
}

async fn naps() {
    for _ in 0..TURNS {
        time::sleep(NAP).await;
    }
}

async fn waits(told: oneshot::Receiver<&'static str>) -> &'static str {
    told.await.unwrap()
}

async fn gives_way() -> u64 {
    for _ in 0..TURNS {
        work(1);
        yield_now().await;
    }
    TURNS
}

struct Cleans;

impl Drop for Cleans {
    fn drop(&mut self) {
        work(5);
    }
}

async fn cancelled() {
    let _cleans = Cleans;
    time::sleep(Duration::from_secs(1000)).await;
}

async fn pending() {
    let _cleans = Cleans;
    time::sleep(Duration::from_secs(1000)).await;
}

async fn fails() {
    yield_now().await;
    work(5);
    panic!("failed");
}

async fn local() -> u64 {
    turns(5).await
}

async fn forked() -> u64 {
    work(5);
    nap(5).await
}

/// Polled TURNS times.
struct Countdown(u64);

impl Future for Countdown {
    type Output = &'static str;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<&'static str> {
        work(1);
        self.0 -= 1;
        if self.0 == 0 {
            return Poll::Ready("counted");
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

async fn threaded(mut from: mpsc::Receiver<u64>, to: mpsc::Sender<u64>) -> u64 {
    let mut sum = 0;
    for _ in 0..TURNS {
        work(5);
        if to.send(1).await.is_ok() {
            sum += from.recv().await.unwrap_or(0);
        }
    }
    sum
}

async fn one_by_one() {
    spawn(naps()).await.unwrap();
    let (tell, told) = oneshot::channel();
    let waiter = spawn(waits(told));
    yield_now().await;
    work(20);
    tell.send("waited").unwrap();
    println!("{}", waiter.await.unwrap());
    println!("{}", spawn(gives_way()).await.unwrap());
    println!("{}", spawn(Countdown(TURNS)).await.unwrap());
    let victim = spawn(cancelled());
    time::sleep(NAP).await;
    victim.abort();
    println!("{} {}", victim.await.unwrap_err().is_cancelled(), spawn(fails()).await.unwrap_err().is_panic());
    println!("{}", spawn(async { turns(5).await }).await.unwrap());
    println!("{}", spawn_blocking(|| 3).await.unwrap());
}

async fn together() -> u64 {
    let mut tasks = Vec::new();
    for _ in 0..COUNT {
        tasks.push(spawn(light()));
        tasks.push(spawn(middle()));
        tasks.push(spawn(heavy()));
    }
    let mut sum = 0;
    for task in tasks {
        sum += task.await.unwrap();
    }
    sum
}

fn single() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

fn one_thread() {
    let runtime = single();
    runtime.block_on(one_by_one());
    println!("{}", runtime.block_on(together()));
    println!("{}", LocalSet::new().block_on(&runtime, async { spawn_local(local()).await.unwrap() }));
    runtime.spawn(pending());
    runtime.block_on(yield_now());
}

async fn pairs() -> u64 {
    let mut tasks = Vec::new();
    for _ in 0..COUNT {
        let (one, other) = (mpsc::channel(1), mpsc::channel(1));
        tasks.push(spawn(threaded(one.1, other.0)));
        tasks.push(spawn(threaded(other.1, one.0)));
    }
    let mut sum = 0;
    for task in tasks {
        sum += task.await.unwrap();
    }
    sum
}

fn threads() {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    println!("{}", runtime.block_on(pairs()));
}

fn child() -> i32 {
    let mut status = 0;
    unsafe {
        let pid = fork();
        if pid == 0 {
            _exit(single().block_on(async { spawn(forked()).await.unwrap() }) as i32);
        }
        waitpid(pid, &mut status, 0);
    }
    status >> 8
}

/// Tasks have run, and the runtime is there, when a line tells to go on.
fn runs_already() {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    runtime.block_on(async {
        println!("{} before", pairs().await);
        spawn_blocking(|| std::io::stdin().read_line(&mut String::new())).await.unwrap().unwrap();
    });
}

fn main() {
    if std::env::args().len() > 1 {
        runs_already();
    }
    one_thread();
    threads();
    println!("{}", child());
    std::process::exit(7);
}
