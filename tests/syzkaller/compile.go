// SPDX-License-Identifier: GPL-2.0

// compile TREE DESCRIPTION HEADER: has the compiler of syzkaller, in TREE, compile DESCRIPTION beside its own for amd64
// and arm64, with the numbers that HEADER gives; has it refuse two that are spoilt; and makes programs of its calls. Prints TAP.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/google/syzkaller/pkg/ast"
	"github.com/google/syzkaller/pkg/compiler"
	"github.com/google/syzkaller/prog"
	"github.com/google/syzkaller/sys/linux"
	"github.com/google/syzkaller/sys/targets"
)

// By this name it is in a tree of syzkaller.
const own = "dev_coroprof.txt"

const programs = 2000

var (
	number int
	failed bool
)

func result(good bool, name string, why []string) {
	number++
	if good {
		fmt.Printf("ok %d %s\n", number, name)
		return
	}
	failed = true
	fmt.Printf("not ok %d %s\n", number, name)
	for _, line := range why {
		fmt.Printf("# %s\n", line)
	}
}

func die(what ...interface{}) {
	fmt.Println("Bail out!", fmt.Sprint(what...))
	os.Exit(1)
}

// What is said of the description: errors and warnings. What is said of the tree's own is not ours.
func complaints(said *[]string) ast.ErrorHandler {
	return func(pos ast.Pos, msg string) {
		if filepath.Base(pos.File) == own {
			*said = append(*said, fmt.Sprintf("%v: %v", pos, msg))
		}
	}
}

// The descriptions of the tree, and ours.
func parse(tree *ast.Description, text string, eh ast.ErrorHandler) *ast.Description {
	parsed := ast.Parse([]byte(text), own, eh)
	if parsed == nil {
		return nil
	}
	all := tree.Clone()
	all.Nodes = append(all.Nodes, parsed.Nodes...)
	return all
}

// What the compiler of C makes of the names of the header.
func values(header string, names []string) map[string]uint64 {
	program := fmt.Sprintf("#include <stdio.h>\n#include \"%s\"\nint main(void)\n{\n", header)
	for _, name := range names {
		program += fmt.Sprintf("\tprintf(\"%s %%llu\\n\", (unsigned long long)(%s));\n", name, name)
	}
	folder, err := os.MkdirTemp("", "compile")
	if err != nil {
		die(err)
	}
	defer os.RemoveAll(folder)
	cc := exec.Command("cc", "-w", "-x", "c", "-", "-o", folder+"/ask")
	cc.Stdin = strings.NewReader(program + "\treturn 0;\n}\n")
	if said, err := cc.CombinedOutput(); err != nil {
		die("cc: ", string(said))
	}
	told, err := exec.Command(folder + "/ask").Output()
	if err != nil {
		die(err)
	}
	found := make(map[string]uint64)
	for _, line := range strings.Split(strings.TrimSpace(string(told)), "\n") {
		words := strings.Fields(line)
		found[words[0]], err = strconv.ParseUint(words[1], 10, 64)
		if err != nil {
			die(err)
		}
	}
	return found
}

// The constants of the tree, and those of the header.
func constants(tree *ast.Description, text, header, sys string, target *targets.Target) map[string]uint64 {
	var said []string
	all := parse(tree, text, complaints(&said))
	if all == nil {
		die(strings.Join(said, "; "))
	}
	files := compiler.ExtractConsts(all, target, complaints(&said))
	if files == nil || files[own] == nil {
		die(strings.Join(said, "; "))
	}
	known := compiler.DeserializeConstFile(filepath.Join(sys, "*.const"), nil).Arch(target.Arch)
	var names []string
	for _, name := range files[own].Consts {
		if strings.HasPrefix(name, "COROPROF_") {
			names = append(names, name)
		}
	}
	for name, value := range values(header, names) {
		known[name] = value
	}
	return known
}

func isOwn(call *prog.Syscall) bool {
	return strings.Contains(strings.ToLower(call.Name), "$coroprof")
}

// Each call is there, each can get the descriptors it needs, and programs of them are what they say.
func use(compiled *compiler.Prog, consts map[string]uint64, target *targets.Target, wanted int) {
	made := &prog.Target{
		OS: target.OS, Arch: target.Arch, PtrSize: target.PtrSize, PageSize: target.PageSize,
		NumPages: target.NumPages, DataOffset: target.DataOffset, LittleEndian: target.LittleEndian,
		Syscalls: compiled.Syscalls, Resources: compiled.Resources,
	}
	for name, value := range consts {
		made.Consts = append(made.Consts, prog.ConstValue{Name: name, Value: value})
	}
	prog.RegisterTarget(made, compiled.Types, linux.InitTarget)
	made, err := prog.GetTarget(target.OS, target.Arch)
	if err != nil {
		die(err)
	}
	all, ours := make(map[*prog.Syscall]bool), 0
	for _, call := range made.Syscalls {
		all[call] = true
		if isOwn(call) {
			ours++
		}
	}
	result(ours == wanted, fmt.Sprintf("%s: the description's %d calls are there", target.Arch, wanted),
		[]string{fmt.Sprint(ours, " are")})
	enabled, disabled := made.TransitivelyEnabledCalls(all)
	var lost []string
	for call, why := range disabled {
		if isOwn(call) {
			lost = append(lost, call.Name+": "+why)
		}
	}
	sort.Strings(lost)
	result(len(lost) == 0, target.Arch+": every call can be had what it needs", lost)
	generate(made, enabled, wanted)
}

func generate(target *prog.Target, enabled map[*prog.Syscall]bool, wanted int) {
	few, met := make(map[*prog.Syscall]bool), make(map[string]bool)
	for call := range enabled {
		if isOwn(call) || call.Name == "perf_event_open" || call.Name == "getpid" {
			few[call] = true
		}
	}
	source, table := rand.NewSource(1), target.BuildChoiceTable(nil, few)
	for i := 0; i < programs; i++ {
		program := target.Generate(source, 20, table)
		for _, call := range program.Calls {
			if isOwn(call.Meta) {
				met[call.Meta.Name] = true
			}
		}
		text := program.Serialize()
		again, err := target.Deserialize(text, prog.NonStrict)
		if err != nil {
			die("a program does not read: ", err)
		}
		if string(again.Serialize()) != string(text) {
			die("a program does not read as it was written: ", string(text))
		}
	}
	fmt.Printf("# ran: %d programs for %s\n", programs, target.Arch)
	result(len(met) == wanted, fmt.Sprintf("%s: programs have each of the calls, and read as they were written", target.Arch),
		[]string{fmt.Sprintf("%d of %d calls", len(met), wanted)})
}

func refused(tree *ast.Description, text, from, to, name string, consts map[string]uint64, target *targets.Target) {
	var said []string
	spoilt := strings.Replace(text, from, to, 1)
	if spoilt == text {
		die("no '", from, "' in the description")
	}
	all := parse(tree, spoilt, complaints(&said))
	good := all != nil && compiler.Compile(all, consts, target, complaints(&said)) != nil
	result(!good || len(said) > 0, target.Arch+": "+name, nil)
}

func check(tree *ast.Description, text, header, sys, arch string) {
	target := targets.Get(targets.Linux, arch)
	consts := constants(tree, text, header, sys, target)
	var said []string
	compiled := compiler.Compile(parse(tree, text, complaints(&said)), consts, target, complaints(&said))
	result(compiled != nil && len(said) == 0, arch+": the compiler takes the description", said)
	if compiled == nil {
		return
	}
	refused(tree, text, "ptr[in, coroprof_thread_config]) fd_coroprof_channel", "ptr[in, coroprof_thread_config])",
		"a description in which nothing makes channels is refused", consts, target)
	refused(tree, text, "	slots	int32[0:128]\n", "	slots	int33[0:128]\n",
		"a description with a type that is none is refused", consts, target)
	wanted := 0
	for _, line := range strings.Split(text, "\n") {
		if name, _, found := strings.Cut(line, "("); found && strings.Contains(strings.ToLower(name), "$coroprof") {
			wanted++
		}
	}
	use(compiled, consts, target, wanted)
}

func main() {
	if len(os.Args) != 4 {
		die("usage: compile TREE DESCRIPTION HEADER")
	}
	sys := filepath.Join(os.Args[1], "sys", targets.Linux)
	text, err := os.ReadFile(os.Args[2])
	if err != nil {
		die(err)
	}
	tree := ast.ParseGlob(filepath.Join(sys, "*.txt"), nil)
	if tree == nil {
		die("no descriptions in ", sys)
	}
	for _, arch := range []string{targets.AMD64, targets.ARM64} {
		check(tree, string(text), os.Args[3], sys, arch)
	}
	fmt.Printf("1..%d\n", number)
	if failed {
		os.Exit(1)
	}
}
