// SPDX-License-Identifier: GPL-2.0
//! A server on tokio, as servers are: each connection is a task, and so is what its request asks for. What is rendered
//! is a future of its own within that, which is wrapped. /quit ends it.
mod spin;

use coroprof::Instrumented;
use futures::future::{select, Either};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::Notify;
use tokio::{spawn, time};

const UNIT: u64 = 100000;

async fn render(units: u64) -> String {
    spin::rounds(units * UNIT);
    format!("{units} units\n")
}

async fn cheap() -> String {
    render(1).await
}

async fn heavy() -> String {
    Instrumented::new(render(20)).await
}

async fn waits() -> String {
    time::sleep(Duration::from_millis(5)).await;
    render(1).await
}

async fn answer(path: &str) -> String {
    match path {
        "/cheap" => spawn(cheap()).await,
        "/heavy" => spawn(heavy()).await,
        "/waits" => spawn(waits()).await,
        _ => Ok("nothing here\n".into()),
    }
    .unwrap()
}

/// A request that is longer than the buffer is not of our clients.
async fn connection(mut stream: TcpStream, quit: Arc<Notify>) {
    let mut request = [0; 1024];
    let size = stream.read(&mut request).await.unwrap_or(0);
    let text = String::from_utf8_lossy(&request[..size]).into_owned();
    let path = text.split(' ').nth(1).unwrap_or("/");
    let body = answer(path).await;
    let head = format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    let _ = stream.write_all((head + &body).as_bytes()).await;
    let _ = stream.shutdown().await;
    if path == "/quit" {
        quit.notify_one();
    }
}

async fn serve(listener: TcpListener) {
    let quit = Arc::new(Notify::new());
    loop {
        match select(Box::pin(listener.accept()), Box::pin(quit.notified())).await {
            Either::Left((Ok((stream, _)), _)) => drop(spawn(connection(stream, quit.clone()))),
            _ => return,
        }
    }
}

fn main() {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async { serve(TcpListener::bind("127.0.0.1:8080").await.unwrap()).await });
}
