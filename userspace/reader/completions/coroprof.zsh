#compdef coroprof coroprof-read
# SPDX-License-Identifier: GPL-2.0
# zsh: the program itself says how the last word may go on. Where it does not know, it is a file.
_coroprof() {
	local -a found
	local line

	while IFS= read -r line; do
		found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done < <("$words[1]" --complete "${(@)words[2,CURRENT]}" 2>/dev/null)
	if (( $#found )); then
		_describe coroprof found
	else
		_files
	fi
}
_coroprof "$@"
