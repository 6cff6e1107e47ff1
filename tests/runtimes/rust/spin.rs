// SPDX-License-Identifier: GPL-2.0
//! Work of a known number of instructions, as in rounds.h.

/// Three instructions a round.
pub fn rounds(n: u64) {
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("1: nop", "subs {0}, {0}, #1", "b.ne 1b", inout(reg) n => _);
    }
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("2: nop", "sub {0}, 1", "jne 2b", inout(reg) n => _);
    }
}
