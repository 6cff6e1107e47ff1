// SPDX-License-Identifier: GPL-2.0
//! cost KIND COUNT: does a thing with tokio's tasks so often, and no more. userspace/runtimes/tests/cost counts its
//! instructions, with the preload library and without.
use tokio::runtime::Builder;
use tokio::spawn;
use tokio::task::yield_now;

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

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let count: u64 = arguments[2].parse().unwrap();
    let runtime = Builder::new_current_thread().build().unwrap();

    runtime.block_on(async move {
        match arguments[1].as_str() {
            "step" => spawn(steps(count)).await.unwrap(),
            _ => spawn(tasks(count)).await.unwrap(),
        }
    });
}
