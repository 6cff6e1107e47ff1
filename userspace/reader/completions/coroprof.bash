# SPDX-License-Identifier: GPL-2.0
# bash: the program itself says how the last word may go on. Where it does not know, it is a file; behind "--", a program.
_coroprof() {
	local line word words=() last=${COMP_WORDS[COMP_CWORD]}

	COMPREPLY=()
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		if [[ $word == -- ]]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$last")
			return
		fi
		# In --option=value bash takes the sign for a word.
		[[ $word == = ]] || words+=("$word")
	done
	[[ $last != = ]] || last=
	while IFS=$'\t' read -r line _; do
		COMPREPLY+=("$line")
	done < <("${COMP_WORDS[0]}" --complete "${words[@]}" "$last" 2>/dev/null)
}
complete -o default -F _coroprof coroprof coroprof-read
