#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The shared library exports what its header declares, no more and no less.
# usage: symbols.sh LIBRARY STATIC-LIBRARY HEADER
exported=$(nm -D --defined-only "$1" | sed -n 's/.* [TB] \(coroprof_[a-z_]*\)@@COROPROF_0\.1$/\1/p' | sort)
declared=$(grep -oE '\bcoroprof_[a-z_]+\(' "$3" | grep -vE 'coroprof_switch_?\(\) |^coroprof_co\(' | tr -d '(' | sort -u)
# shellcheck source=tests/harness/tap.sh
. "$(dirname "$0")/../harness/tap.sh"
[ "$exported" = "$declared" ]
result $? "exported and declared functions agree"
[ "$exported" = "$declared" ] || printf '# exported: %s\n# declared: %s\n' "$exported" "$declared" | tr '\n' ' '
others=$(nm -D --defined-only "$1" | grep -vE '@@COROPROF_0\.1|COROPROF_(0\.1|PRIVATE)$')
[ -z "$others" ]
result $? "nothing else is visible $others"
foreign=$(nm -g --defined-only "$2" | sed -n 's/.* [A-Z] //p' | grep -v '^coroprof_')
[ -z "$foreign" ]
result $? "the static library's names all begin alike $foreign"
finish
