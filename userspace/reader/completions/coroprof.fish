# SPDX-License-Identifier: GPL-2.0
# fish: the program itself says how the last word may go on. Where it does not know, it is a file.
function __coroprof_complete
	set -l words (commandline -opc) (commandline -ct)
	set -l found ($words[1] --complete $words[2..-1] 2>/dev/null)
	if set -q found[1]
		printf '%s\n' $found
	else
		__fish_complete_path (commandline -ct)
	end
end
for program in coroprof coroprof-read
	complete -c $program -f -a '(__coroprof_complete)'
end
