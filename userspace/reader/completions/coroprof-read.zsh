#compdef coroprof-read
# SPDX-License-Identifier: GPL-2.0
# Completion of coroprof-read for zsh. Words and options are those that the program has: tests/install/run compares them.

# A command and its own arguments, or recordings.
_coroprof_read_rest() {
	if ((CURRENT == 1)); then
		_alternative 'commands:command:_command_names -e' 'recordings:recording:_files -g "*.cprof"'
	elif [[ $words[1] == *.cprof ]]; then
		_files -g '*.cprof'
	else
		_normal
	fi
}

_arguments -s -S \
	'*'{-o,--output}'[where to, in the form that the name asks for]:FILE:_files' \
	'(--format)--format[form of standard output, and of names that tell none]:FORM:(text csv json folded html pprof perfetto speedscope chrome firefox callgrind openmetrics sqlite-slices sqlite)' \
	'(--folded)--folded[samples as folded stacks]:FILE:_files' \
	'(--fsync)--fsync[each output is on the disk before it takes its name]' \
	'(--weight)--weight[of folded stacks\: a time or a counter]:NAME: ' \
	'(--from)--from[only from this time on]:T: ' \
	'(--to)--to[only up to this time]:T: ' \
	'(--exact)--exact[n/a in place of shares of counters]' \
	'(--diff)--diff[what has changed since]:recording:_files -g "*.cprof"' \
	'*--fail-if[exit with 1 if it holds beyond noise]:COND: ' \
	'(--slow)--slow[what the slices that took longest do otherwise]:LABEL: ' \
	'(-q --quiet)'{-q,--quiet}'[nothing but warnings and errors]' \
	'(--table)--table[one table]:NAME:(recording counters labels latency worst findings lengths coroutines threads processes modes costs wakes spans label_spans span_tree functions label_functions sample_tree lines line_tree timeline heat timeline_wakes timeline_spans timeline_samples damage info answers changes change_tree compared slow_of slow slow_tree)' \
	'(--sort)--sort[by this column, the largest first]:COLUMN: ' \
	'*--where[only rows that have this in that column]:COL=WHAT: ' \
	'(--top)--top[the first N rows of each]:N: ' \
	'*--metric[a column of your own]:FORMULA: ' \
	'(--columns)--columns[these columns]:LIST: ' \
	'(-e --event)'{-e,--event}'[what to count]:LIST:_values -s , LIST cycles instructions cache-misses branches branch-misses task-clock page-faults context-switches tsc hw rusage program' \
	'*'{-p,--pid}'[record running processes]:process:_pids' \
	'(--no-inherit)--no-inherit[with -p\: not their children]' \
	'(--totals)--totals[only what each coroutine adds up to]' \
	'(-i --interval)'{-i,--interval}'[with --totals\: show what there is so often]:SEC: ' \
	'(-d --duration)'{-d,--duration}'[stop after so many seconds]:SEC: ' \
	'(-r --ring-size)'{-r,--ring-size}'[ring of each thread, such as 4M]:SIZE: ' \
	'(-w --watermark)'{-w,--watermark}'[read a ring when it holds so much]:SIZE: ' \
	'(--switch)--switch[how threads switch]:MODE:(auto ioctl)' \
	'(--note)--note[a remark, shown in each output]:TEXT: ' \
	'(--no-preload)--no-preload[do not put the preload library into the command]' \
	'(--runtime)--runtime[of the preload library only these runtimes]:LIST:_values -s , LIST boost erlang java lua node php python ruby tokio ucontext none' \
	'(--functions)--functions[functions of Python as spans\: of these modules]:LIST: ' \
	'(--probe)--probe[functions at which a program switches]:LIST:_values -s , LIST go tokio qemu none' \
	'(--ready-fd)--ready-fd[write a byte to this descriptor once it records]:N: ' \
	'(-F --frequency)'{-F,--frequency}'[so many samples a second]:HZ: ' \
	'(-c --period)'{-c,--period}'[a sample each so many counts]:COUNT: ' \
	'(--sample-event)--sample-event[samples of what]:E:_values -s , E cycles instructions cache-misses branches branch-misses task-clock page-faults context-switches tsc hw rusage program' \
	'(--stack-max)--stack-max[callers of each sample]:N: ' \
	'(--no-stacks)--no-stacks[samples without callers]' \
	'(--no-inline)--no-inline[samples by symbols alone]' \
	'(--check)--check[say what is missing on this machine]' \
	'(--selftest)--selftest[say whether what is counted here is right]' \
	'(--selftest-report)--selftest-report[and write all that was measured]:FILE:_files' \
	'(-h --help)'{-h,--help}'[the options, or all tables and columns]::what:(columns)' \
	'(-V --version)'{-V,--version}'[the version]' \
	'*:::command or recording:_coroprof_read_rest'
