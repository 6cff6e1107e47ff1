# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Packages of any Debian suite and architecture without touching the host: a second apt configuration with its own
# sources, lists and status, on the mirror that the host itself uses.

# common.sh comes first.
: "${cache:?}"

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# Package lists older than this many hours are fetched again.
apt_max_age=${COROPROF_APT_MAX_AGE:-24}

# host_sites: "SITE SUITE" for each source that the host's apt has, whether fetched yet or not.
host_sites() {
	local state
	state=$(mktemp -d)
	mkdir -p "$state/lists/partial"
	apt-get -o Dir::State="$state" -o Dir::State::lists="$state/lists" -o Debug::NoLocking=1 update --print-uris 2>/dev/null |
		sed -nE "s,^'([^']*)/dists/([^']*)/InRelease' .*,\1 \2,p"
	rm -rf "$state"
}

# mirror main|security: where the host gets Debian from.
mirror() {
	local sites
	sites=$(host_sites)
	case $1 in
	main)
		[[ -z ${COROPROF_MIRROR:-} ]] || { echo "$COROPROF_MIRROR" && return; }
		awk '$2 !~ /[-\/]/ && !found { print $1; found = 1 }' <<<"$sites"
		;;
	security)
		awk '$2 ~ /-security$/ && !found { print $1; found = 1 }' <<<"$sites"
		;;
	esac
}

apt_dir() {
	echo "$cache/apt/$1-$2"
}

# apt_in SUITE ARCH COMMAND...: runs an apt command on that suite and architecture.
apt_in() {
	local dir
	dir=$(apt_dir "$1" "$2")
	shift 2
	APT_CONFIG=$dir/apt.conf "$@"
}

write_sources() { # FILE SUITE SECTION...
	local file=$1 suite=$2 section site
	shift 2
	: >"$file"
	for section; do
		site=$(mirror "$section")
		[[ -n $site ]] || continue
		case $section in
		main) echo "deb [signed-by=$keyring] $site $suite main" ;;
		security) echo "deb [signed-by=$keyring] $site $suite-security main" ;;
		esac >>"$file"
	done
}

write_apt_conf() { # DIR ARCH
	cat >"$1/apt.conf" <<-EOF
		Dir::Etc::sourcelist "$1/sources.list";
		Dir::Etc::sourceparts "$1/empty";
		Dir::Etc::preferences "$1/empty/none";
		Dir::Etc::preferencesparts "$1/empty";
		Dir::State "$1/state";
		Dir::State::lists "$1/lists";
		Dir::State::status "$1/status";
		Dir::Cache "$1/cache";
		APT::Architecture "$2";
		APT::Architectures { "$2"; };
		APT::Install-Recommends "false";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::Retries "3";
		// A release out of support is signed, but no longer kept valid.
		Acquire::Check-Valid-Until "false";
	EOF
}

# apt_setup SUITE ARCH: makes the configuration and keeps its lists fresh. Old suites may have lost one of their
# sections, and sid has no security section, so each choice is tried in turn.
apt_setup() {
	fresh "$(apt_dir "$1" "$2")/stamp" "$apt_max_age" || locked "apt-$1-$2" apt_refresh "$1" "$2"
}

apt_refresh() {
	local suite=$1 arch=$2 dir sections
	dir=$(apt_dir "$suite" "$arch")
	! fresh "$dir/stamp" "$apt_max_age" || return 0
	[[ -e $keyring ]] || die "no Debian archive keys in $keyring" "apt-get install debian-archive-keyring"
	mkdir -p "$dir"/{empty,state,lists/partial,cache/archives/partial}
	: >"$dir/status"
	write_apt_conf "$dir" "$arch"
	for sections in "main security" "main" "security"; do
		[[ $suite != sid || $sections == main ]] || continue
		# shellcheck disable=SC2086 # a list of words
		write_sources "$dir/sources.list" "$suite" $sections
		[[ -s $dir/sources.list ]] || continue
		if apt_update "$dir"; then
			touch "$dir/stamp"
			return
		fi
	done
	if [[ -e $dir/stamp ]]; then
		note "cannot refresh the package lists of $suite/$arch; going on with those from $(date -r "$dir/stamp" +%F)"
		return
	fi
	cat "$dir/update.log" >&2
	die "no package lists for $suite/$arch from $(mirror main)" \
		"check the network and the host's apt sources, or set COROPROF_MIRROR to a Debian mirror that has $suite"
}

apt_update() {
	APT_CONFIG=$1/apt.conf apt-get -q -o APT::Update::Error-Mode=any update >"$1/update.log" 2>&1
}

# candidate SUITE ARCH PACKAGE: the version that would be installed.
candidate() {
	apt_in "$1" "$2" apt-cache policy "$3" | awk '$1 == "Candidate:" { print $2 }'
}

# closure SUITE ARCH PACKAGE...: "NAME VERSION" of the packages and all they depend on, on an empty system.
closure() {
	local suite=$1 arch=$2 out
	shift 2
	out=$(apt_in "$suite" "$arch" apt-get -s install --no-install-recommends -y "$@" 2>&1) || {
		printf '%s\n' "$out" >&2
		die "apt cannot install '$*' from $suite/$arch"
	}
	sed -nE 's/^Inst ([^ ]+) \(([^ ]+) .*/\1 \2/p' <<<"$out" | sort
}

# fetch_closure SUITE ARCH DIR PACKAGE...: downloads the packages and all they depend on into DIR. Of two at once, the second
# waits: apt locks the suite's state.
fetch_closure() {
	local suite=$1 arch=$2 dir=$3
	shift 3
	mkdir -p "$dir/partial"
	apt_in "$suite" "$arch" apt-get -qq -o Dir::Cache::archives="$dir" -o APT::Keep-Downloaded-Packages=true \
		-o DPkg::Lock::Timeout=600 \
		install --no-install-recommends --download-only -y "$@" >&2
}

# fetch_packages SUITE ARCH DIR PACKAGE[=VERSION]...: downloads just these into DIR.
fetch_packages() {
	local suite=$1 arch=$2 dir=$3
	shift 3
	mkdir -p "$dir"
	(cd "$dir" && apt_in "$suite" "$arch" apt-get -qq download "$@" >&2)
}

# unpack ROOT DEB...: lays packages into ROOT with /bin, /lib and /sbin merged into /usr, as every suite since
# bookworm has it; older ones do not mind. Maintainer scripts do not run.
unpack() {
	local root=$1 deb name
	shift
	for name in bin sbin lib lib64; do
		mkdir -p "$root/usr/$name"
		[[ -L $root/$name ]] || ln -s "usr/$name" "$root/$name"
	done
	for deb; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -C "$root" -x --keep-directory-symlink --no-same-owner -f -
	done
}

# recall POINTER SUITE ARCH: prints the folder that was found last time, unless the package lists or the command
# itself have changed since.
recall() {
	local dir
	[[ $1 -nt $(apt_dir "$2" "$3")/stamp && $1 -nt $0 ]] || return 1
	dir=$(<"$1")
	[[ -d $dir ]] || return 1
	echo "$dir"
}

# remember POINTER DIR: for recall, and prints the folder. Of those found before, the last one stays for who may
# still be using it, and the one before that is removed.
remember() {
	local last=
	mkdir -p "${1%/*}"
	[[ ! -e $1 ]] || last=$(<"$1")
	if [[ -n $last && $last != "$2" ]]; then
		[[ ! -e $1.last || $(<"$1.last") == "$2" ]] || rm -rf "$(<"$1.last")"
		echo "$last" >"$1.last"
	fi
	echo "$2" >"$1.$$"
	mv "$1.$$" "$1"
	echo "$2"
}
