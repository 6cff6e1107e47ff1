// SPDX-License-Identifier: LGPL-2.1-or-later
use crate::library::library;
use std::ffi::CString;

/// What futures of one kind have in common: a name. There are at most 65535 in a process.
///
/// It is a number, to be kept where many futures are made: each conversion of a text looks for its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(pub(crate) u32);

impl Label {
    /// The label of this name. What is beyond 255 bytes, or a NUL, is cut off.
    pub fn new(name: &str) -> Label {
        let until = name.find('\0').unwrap_or(name.len());

        match (library(), CString::new(&name[..until])) {
            // Safety: a C string, which is copied.
            (Some(library), Ok(name)) => Label(unsafe { (library.label)(name.as_ptr()) }),
            _ => Label(0),
        }
    }

    /// The label of futures of this type: of an `async fn` the function's path.
    pub fn of<F>() -> Label {
        if library().is_none() {
            return Label(0);
        }
        Label::new(function(std::any::type_name::<F>()))
    }
}

impl From<&str> for Label {
    fn from(name: &str) -> Label {
        Label::new(name)
    }
}

/// What an async function makes is, to the compiler, a closure in it; up to Rust 1.65 wrapped.
fn function(name: &str) -> &str {
    let inner = name
        .strip_prefix("core::future::from_generator::GenFuture<")
        .and_then(|rest| rest.strip_suffix('>'))
        .unwrap_or(name);

    inner.strip_suffix("::{{closure}}").unwrap_or(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_async_function_is_called_by_its_path() {
        assert_eq!(function("core::future::from_generator::GenFuture<known::light::{{closure}}>"), "known::light");
        assert_eq!(function("known::light::{{closure}}"), "known::light");
    }

    #[test]
    fn an_async_block_is_called_by_the_function_it_is_in() {
        assert_eq!(function("known::main::{{closure}}::{{closure}}"), "known::main::{{closure}}");
    }

    #[test]
    fn a_type_has_its_own_name() {
        assert_eq!(function("known::Countdown"), "known::Countdown");
    }
}
