# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Completion of coroprof-read for bash. Words and options are those that the program has: tests/install/run compares them.

# The words that begin with what has been typed; of a list, of its last part.
_coroprof_read_words() { # LIST WORDS
	local done=
	[[ $1 != *,* ]] || done=${1%,*},
	mapfile -t COMPREPLY < <(compgen -P "$done" -W "$2" -- "${1##*,}")
}

_coroprof_read_files() { # WORD
	compopt -o filenames
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

# Of the option before: fails where it takes no word.
_coroprof_read_argument() { # OPTION WORD
	case $1 in
	--format)
		_coroprof_read_words "$2" "text csv json folded html pprof perfetto speedscope chrome firefox callgrind openmetrics
			sqlite-slices sqlite"
		;;
	--table)
		_coroprof_read_words "$2" "recording counters labels latency worst findings lengths coroutines threads processes modes costs
			wakes spans label_spans span_tree functions label_functions sample_tree lines line_tree timeline
			heat timeline_wakes timeline_spans timeline_samples damage info answers changes change_tree
			compared slow_of slow slow_tree"
		;;
	--switch)
		_coroprof_read_words "$2" "auto ioctl"
		;;
	--runtime)
		_coroprof_read_words "$2" "boost erlang java lua node php python ruby tokio ucontext none"
		;;
	-e | --event | --sample-event)
		_coroprof_read_words "$2" "cycles instructions cache-misses branches branch-misses task-clock page-faults context-switches
			tsc hw rusage program"
		;;
	--probe)
		_coroprof_read_words "$2" "go tokio qemu none"
		;;
	-p | --pid)
		_coroprof_read_words "$2" "$(cd /proc && echo [0-9]*)"
		;;
	-h | --help) _coroprof_read_words "$2" columns ;;
	-o | --output | --folded | --selftest-report | --diff) _coroprof_read_files "$2" ;;
	--weight | --from | --to | --fail-if | --slow | --sort | --where | --top | --metric | \
		--columns | -i | --interval | -d | --duration | -r | --ring-size | -w | --watermark | \
		--note | --functions | --ready-fd | -F | --frequency | -c | --period | --stack-max) ;;
	*) return 1 ;;
	esac
}

_coroprof_read() {
	local word=$2 before=$3 i
	# "--table=x" comes in three words.
	[[ $word != = ]] || word=
	[[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -- ]] || continue
		# That of the package bash-completion, which knows what completes the command.
		if declare -F _command_offset >/dev/null; then
			_command_offset $((i + 1))
		elif ((i + 1 == COMP_CWORD)); then
			mapfile -t COMPREPLY < <(compgen -c -- "$word")
		else
			_coroprof_read_files "$word"
		fi
		return
	done
	_coroprof_read_argument "$before" "$word" && return
	if [[ $word == -* ]]; then
		_coroprof_read_words "$word" "--output --format --folded --fsync --weight --from --to --exact --diff --fail-if --slow --quiet
			--table --sort --where --top --metric --columns --event --pid --no-inherit --totals --interval
			--duration --ring-size --watermark --switch --note --no-preload --runtime --functions --probe
			--ready-fd --frequency --period --sample-event --stack-max --no-stacks --no-inline --check
			--selftest --selftest-report --help --version"
	else
		_coroprof_read_files "$word"
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <([[ -z $word ]] || compgen -c -- "$word")
	fi
}

complete -F _coroprof_read coroprof-read
