// SPDX-License-Identifier: GPL-2.0
//! An executor as small as they get: a queue of tasks, and a list of timers. A task is kept by who may wake it, and by the
//! queue it is in.
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

type Queue = Mutex<VecDeque<Arc<Task>>>;

struct Task {
    future: Mutex<Pin<Box<dyn Future<Output = ()> + Send>>>,
    queue: Arc<Queue>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let queue = self.queue.clone();
        queue.lock().unwrap().push_back(self);
    }
}

thread_local! {
    static TIMERS: RefCell<Vec<(Instant, Waker)>> = RefCell::new(Vec::new());
}

pub struct Executor {
    queue: Arc<Queue>,
}

impl Executor {
    pub fn new() -> Executor {
        Executor { queue: Arc::default() }
    }

    pub fn spawn(&self, future: Pin<Box<dyn Future<Output = ()> + Send>>) {
        Arc::new(Task { future: Mutex::new(future), queue: self.queue.clone() }).wake();
    }

    /// Until there is nothing to do, and no timer to wait for.
    pub fn run(&self) {
        loop {
            let task = self.queue.lock().unwrap().pop_front();
            match task {
                Some(task) => poll(task),
                None if !wait() => return,
                None => {}
            }
        }
    }
}

fn poll(task: Arc<Task>) {
    let waker = Waker::from(task.clone());
    let mut future = task.future.lock().unwrap();

    if catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut Context::from_waker(&waker)))).is_err() {
        println!("panicked");
    }
}

/// Until the first timer is due, whose task is woken then. False: there is none.
fn wait() -> bool {
    let first = TIMERS.with(|timers| {
        let mut timers = timers.borrow_mut();
        let first = (0..timers.len()).min_by_key(|&i| timers[i].0)?;
        Some(timers.remove(first))
    });
    match first {
        Some((due, waker)) => {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            waker.wake();
            true
        }
        None => false,
    }
}

struct Sleep(Instant);

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.0 {
            return Poll::Ready(());
        }
        TIMERS.with(|timers| timers.borrow_mut().push((self.0, context.waker().clone())));
        Poll::Pending
    }
}

pub fn sleep(time: Duration) -> impl Future<Output = ()> {
    Sleep(Instant::now() + time)
}
