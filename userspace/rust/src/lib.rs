// SPDX-License-Identifier: LGPL-2.1-or-later
//! Hardware counters for every future, with any executor.
//!
//! ```no_run
//! use coroprof::Instrumented;
//!
//! async fn serve(number: u32) -> u32 {
//!     number
//! }
//! # fn spawn<F: std::future::Future>(_: F) {}
//!
//! spawn(Instrumented::new(serve(1)));                 // named serve
//! spawn(Instrumented::named("second", serve(2)));
//! ```
//!
//! An [`Instrumented`] future is a coroutine to coroprof: it is born with `new()`, runs while it is polled, is ready
//! once its waker was used, and ends when it is ready or dropped. What it runs, it runs as without: the same values,
//! panics and order of things.
//!
//! The crate has no dependencies, and nothing is linked. It uses the libcoroprof that the process has: the one that
//! `coroprof-read -- PROGRAM` preloads, one that the program is linked with, or else `libcoroprof.so.1`, which it looks
//! for with the first future. Where there is none, futures are polled and nothing else happens.
//!
//! Tasks of tokio are seen without edits: this is for other executors, and for futures within a task.
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

mod coroutine;
mod instrumented;
mod label;
mod library;
mod signal;

pub use instrumented::Instrumented;
pub use label::Label;
