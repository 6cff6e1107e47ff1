# SPDX-License-Identifier: GPL-2.0
# make help says what there is.

export VERSION := $(file <$(CURDIR)/VERSION)
export O ?= $(CURDIR)/out/native
export PREFIX ?= /usr/local
export DESTDIR ?=
export WERROR ?=

KERNEL ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KERNEL)/build
LIBDIR ?= $(PREFIX)/lib
IS_ROOT := $(filter 0,$(shell id -u))
SUDO := $(if $(IS_ROOT),,sudo)

# DESTDIR alone may have one.
ifneq ($(words $(CURDIR)),1)
$(error coroprof: the path of this tree has a space in it, which neither make nor the kernel's build can cope with: $(CURDIR). Move it elsewhere)
endif
spaced := $(strip $(foreach name,O PREFIX LIBDIR KDIR,$(if $(word 2,$($(name))),$(name)='$($(name))')))
$(if $(spaced),$(error coroprof: a path has a space in it, which make can't cope with: $(spaced)))

USERSPACE := userspace/lib userspace/instrument userspace/runtimes userspace/reader
PARTS := $(USERSPACE)

.PHONY: all help module headers userspace $(PARTS) install install-userspace install-module by-root not-packaged buildable \
	uninstall check test check-debug check-long check-packages check-newcomer dist checkpatch sparse shellcheck kernels demo bench cost pictures clean

all: module userspace

help:
	@echo 'make                   the module for this kernel ($(KERNEL)), and all of user space'
	@echo 'make module            coroprof.ko only'
	@echo 'make userspace         libcoroprof, the preload library, coroprof-read only; into $(O)'
	@echo 'make install           both, the module through dkms; PREFIX=$(PREFIX)'
	@echo 'make uninstall         takes away what install put there'
	@echo 'make demo              HAProxy in a guest with an exact PMU, to out/demo/profile.html'
	@echo 'make demo-live         a flight recorder in a guest catches a handler of HAProxy that blocks: out/demo-live/profile.html'
	@echo 'make demo-fleet        50 machines that are simulated send to an engine, and a query finds the one that gets slower'
	@echo 'make demo-NAME         another one, of boost erlang go java nginx node php powerdns python qemu ruby rust, to out/demo-NAME/profile.html'
	@echo 'make bench             instructions per operation, and how fast recordings are read, to out/bench/bench.json'
	@echo 'make cost              what each adapter, and the nearest tool, adds to a switch, to out/cost'
	@echo 'make pictures          the pictures in README.md and docs/reading.md, and the texts there, of new recordings'
	@echo 'make test T=NAME       one test and what it needs: profile/gaps, lib/fork, selftests/attach, page/legend, java, a stage'
	@echo 'make check             all tests, in booted guests where they need a kernel; STAGE=NAME: some of them'
	@echo 'make check-debug       the kernel tests and a storm on a kernel that checks itself'
	@echo 'make check-long        fuzzing, storms, injected faults, races; LANE=NAME: one of them'
	@echo 'make check-packages    Debian packages, built and used in clean roots of bookworm and trixie; the RPM spec'
	@echo 'make check-newcomer    what README tells to type, in bare roots of bookworm and trixie'
	@echo 'make dist              the sources, to $(DIST)'
	@echo 'make kernels           the module for every supported kernel, without a warning'
	@echo 'make checkpatch sparse shellcheck'
	@echo 'make clean'

# ---------------------------------------------------------------- building

headers:
	@test -e $(KDIR)/Makefile || { \
		echo "coroprof: no headers of kernel $(KERNEL) in $(KDIR)." >&2; \
		echo "The module can't be built without them:" >&2; \
		echo "    $(strip $(SUDO) apt install linux-headers-$(KERNEL))" >&2; \
		echo "For another kernel, as in an image: KERNEL=RELEASE. User space alone: $(user_space_alone)." \
			"To see it work in a guest: make demo" >&2; \
		exit 1; }

user_space_alone := make userspace

module: headers
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

userspace: $(PARTS)

userspace/instrument userspace/runtimes userspace/reader: userspace/lib

$(PARTS):
	$(MAKE) -C $@ all

# -------------------------------------------------------------- installing

# One after the other, also with -j: what the last one says of the module is to be read.
install: by-root
	$(MAKE) install-userspace
	$(MAKE) install-module

# It goes where its user may write; only root's is in the dynamic linker's cache.
install-userspace: userspace
	set -e; for part in $(PARTS) userspace/rust userspace/examples userspace/agent; do $(MAKE) -C $$part install; done
	$(if $(IS_ROOT),$(if $(DESTDIR),,ldconfig))
	@for part in userspace/runtimes userspace/reader; do $(MAKE) -s --no-print-directory -C $$part left-out; done
	@echo "coroprof: for 'import coroprof' in Python: export PYTHONPATH=$(LIBDIR)/coroprof/python"

by-root:
ifeq ($(DESTDIR),)
	$(if $(IS_ROOT),,@echo "coroprof: the module, its udev rule and the group are installed by root: sudo make install." \
		"User space alone, into a folder of your own: make install-userspace PREFIX=$$HOME/coroprof" >&2; exit 1)
endif

DKMS_SOURCE := $(DESTDIR)/usr/src/coroprof-$(VERSION)

# Files of Debian's package are apt's to change.
not-packaged:
ifeq ($(DESTDIR),)
	@! dpkg-query -S $(DKMS_SOURCE)/dkms.conf >/dev/null 2>&1 || { \
		echo "coroprof: $(DKMS_SOURCE) belongs to the package coroprof-dkms. To use this tree in its place:" >&2; \
		echo "    $(strip $(SUDO) apt purge coroprof-dkms)" >&2; \
		exit 1; }
endif

# Before anything is written.
buildable: not-packaged
ifeq ($(DESTDIR),)
	@command -v dkms >/dev/null || { \
		echo "coroprof: dkms is not installed, so the module can't follow kernel updates." >&2; \
		echo "    $(strip $(SUDO) apt install dkms linux-headers-$(KERNEL)) && $(strip $(SUDO) make install)" >&2; \
		exit 1; }
	@$(MAKE) -s --no-print-directory headers user_space_alone='make install-userspace'
endif

install-module: by-root buildable
	install -d "$(DKMS_SOURCE)/kmod" "$(DKMS_SOURCE)/uapi"
	install -m 644 Kbuild dkms.conf "$(DKMS_SOURCE)"
	install -m 644 kmod/*.[ch] "$(DKMS_SOURCE)/kmod"
	install -m 644 uapi/coroprof.h "$(DKMS_SOURCE)/uapi"
	install -D -m 644 kmod/install/60-coroprof.rules "$(DESTDIR)/usr/lib/udev/rules.d/60-coroprof.rules"
	install -D -m 644 kmod/install/sysusers-coroprof.conf "$(DESTDIR)/usr/lib/sysusers.d/coroprof.conf"
	install -D -m 644 kmod/install/modules-load-coroprof.conf "$(DESTDIR)/usr/lib/modules-load.d/coroprof.conf"
ifeq ($(DESTDIR),)
	getent group coroprof >/dev/null || groupadd --system coroprof
	# dkms would take what it built before for this version, whatever its sources are now.
	-dkms remove coroprof/$(VERSION) --all 2>/dev/null
	dkms add coroprof/$(VERSION)
	@dkms install coroprof/$(VERSION) -k $(KERNEL) || { \
		test $$? -ne 77 || echo "coroprof: the module can't be built for kernel $(KERNEL), nor loaded into it. It needs Linux" \
			"5.10 or later, x86-64 or arm64, with CONFIG_PREEMPT_NOTIFIERS (comes with KVM) and CONFIG_PERF_EVENTS:" \
			"grep -E 'PREEMPT_NOTIFIERS|PERF_EVENTS=' $(KDIR)/.config" >&2; \
		exit 1; }
# Where no udevd runs, in an image or a container, the module is for the machine that boots it.
	@if [ ! -S /run/udev/control ]; then \
		echo "coroprof: no udevd runs here, so nothing is loaded: the module will be when what is here boots"; \
	elif udevadm control --reload && [ "$(KERNEL)" = "$$(uname -r)" ]; then \
		if [ -e /sys/module/coroprof ] && ! modprobe -r coroprof; then \
			echo "coroprof: the module loaded now is the one from before, and in use: once nothing" >&2; \
			echo "records any more, $(strip $(SUDO) modprobe -r coroprof && $(SUDO) modprobe coroprof)" >&2; \
		else \
			modprobe coroprof; \
		fi; \
	fi
endif

# What install would put there, what Python has compiled of it, and those of its folders that are empty then, but for the
# system's own: bin, lib, share/man and so on. A group that has members stays, and a configuration that was changed.
SYSTEM_FOLDERS := $(if $(filter /usr /usr/local,$(PREFIX)),2,0)

uninstall: by-root not-packaged
ifeq ($(DESTDIR),)
	-modprobe -r coroprof
	-dkms remove coroprof/$(VERSION) --all
endif
	set -e; stage=$$(mktemp -d); trap 'rm -rf "$$stage"' EXIT; \
	$(MAKE) install DESTDIR="$$stage" >/dev/null; \
	for file in etc/coroprof/agent.conf .$(PREFIX)/etc/coroprof/agent.conf; do \
		cmp -s "$$stage/$$file" "$(DESTDIR)/$$file" || rm -f "$$stage/$$file"; done; \
	(cd "$$stage" && find . ! -type d -print0) | (cd "$(DESTDIR)/" && xargs -0r rm -f); \
	rmdir "$(DESTDIR)/etc/coroprof" 2>/dev/null || :; \
	rm -rf "$(DESTDIR)$(LIBDIR)/coroprof" "$(DKMS_SOURCE)"; \
	(cd "$$stage" && find ".$(PREFIX)" -depth -mindepth $(SYSTEM_FOLDERS) -type d ! -path './usr/*/share/man' -print0) | \
		(cd "$(DESTDIR)/" && xargs -0r rmdir --ignore-fail-on-non-empty 2>/dev/null) || :
ifeq ($(DESTDIR),)
	getent group coroprof | grep -v ':$$' || groupdel coroprof
	ldconfig
endif

# ----------------------------------------------------------------- testing

# T=NAME: of a test, as tests/check says.
test:
	@tests/check one '$(T)'

# STAGE=NAME: only those with that in their names. SET=ci: with what .ci/run has beside them.
check:
	tests/check '$(or $(SET),all)' '$(STAGE)'

check-debug:
	tests/check debug

# What takes longer than all of the others: fuzzing, storms, faults, races. LANE=NAME: one of them.
check-long:
	tests/check nightly '$(LANE)'

kernels:
	tests/check kernels

checkpatch sparse shellcheck:
	tests/check $@

demo:
	tests/demo/run

demo-%:
	tests/demo/run $*

bench:
	tests/bench/run

cost:
	tests/cost/run

pictures:
	tests/pictures/run

# --------------------------------------------------------------- releasing

# The files that git knows, as they are now, and dated by the last commit: the same sources give the same archive.
# In what was unpacked from one, MANIFEST says both.
DIST := out/coroprof-$(VERSION).tar.gz

dist:
	@mkdir -p out
	@if [ "$$(git rev-parse --show-toplevel 2>/dev/null)" = "$(CURDIR)" ]; then \
		{ echo MANIFEST; git ls-files; } >out/MANIFEST && touch -d "$$(git log -1 --format=%cI)" out/MANIFEST; \
	elif [ -s MANIFEST ]; then \
		cp -p MANIFEST out/MANIFEST; \
	else \
		echo "coroprof: this is no clone of the repository, and no unpacked archive of 'make dist' either: nothing says which" \
			"files are its sources. In a clone: make dist" >&2; \
		exit 1; \
	fi
	tar --create --file=$(DIST) --use-compress-program='gzip -n' --format=gnu \
		--sort=name --owner=0 --group=0 --numeric-owner --mode=u+w,go=rX --mtime="$$(date -Is -r out/MANIFEST)" \
		--transform='s,^,coroprof-$(VERSION)/,' --no-recursion -C out MANIFEST -C .. $$(grep -vx MANIFEST out/MANIFEST)

check-packages:
	tests/packages/run

# What README tells to type, in bare roots.
check-newcomer:
	tests/newcomer/run

# ---------------------------------------------------------------- cleaning

clean:
	rm -rf out
	rm -f coroprof.ko coroprof.mod coroprof.mod.c coroprof.mod.o coroprof.o modules.order \
		Module.symvers .[!.]*.cmd kmod/*.o kmod/.[!.]*.cmd kmod/.[!.]*.d
