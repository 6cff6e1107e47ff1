# SPDX-License-Identifier: GPL-2.0
# Of a header of the ABI: a program that prints, of whatever header it is compiled with, what that one makes of each
# name: place, size and type of each member, the value of each constant.

BEGIN {
	print "#include <stddef.h>"
	print "#include <stdio.h>"
	print "#include <coroprof.h>"
	print "#define TYPE(s, m, t) (__builtin_types_compatible_p(__typeof__(((struct s *)0)->m), t) ? #t : \"another type\")"
	print "#define AT(s, m, t) printf(\"member %s.%s %zu %zu %s\\n\", #s, #m, offsetof(struct s, m), sizeof(((struct s *)0)->m), TYPE(s, m, t))"
	print "#define SIZE(s) printf(\"struct %s %zu\\n\", #s, sizeof(struct s))"
	print "#define VALUE(name, c) printf(\"value %s %llu\\n\", name, (unsigned long long)(c))"
	print "#define TEXT(c) printf(\"text %s %s\\n\", #c, c)"
	print "#define SIZE_BITS ((unsigned long)_IOC_SIZEMASK << _IOC_SIZESHIFT)"
	print "#define COMMAND(c, of) printf(\"command %s %#lx %s\\n\", #c, (unsigned long)(c) & ~SIZE_BITS, _IOC_SIZE(c) == (of) ? #of : \"another argument\")"
	print "int main(void)\n{"
}

/^struct [a-z_]+ \{$/ { name = $2; print "\tSIZE(" name ");"; next }
/^\};$/ { name = "" }
name != "" && /;$/ {
	member = $NF
	sub(/;$/, "", member)
	type = $0
	sub(/^[ \t]+/, "", type)
	sub(/[ \t]+[^ \t]+$/, "", type)
	if (match(member, /\[.*/)) {
		type = type substr(member, RSTART)
		member = substr(member, 1, RSTART - 1)
	}
	print "\tAT(" name ", " member ", " type ");"
}

# The size of an argument is its struct's, which may grow.
/^#define COROPROF_IOC_[A-Z]+[ \t]+_IO/ {
	of = 0
	if (match($0, /struct [a-z_]+/))
		of = "sizeof(" substr($0, RSTART, RLENGTH) ")"
	print "\tCOMMAND(" $2 ", " of ");"
	next
}
/^#define COROPROF_[A-Z0-9_]+[ \t]+"/ { print "\tTEXT(" $2 ");"; next }
/^#define COROPROF_[A-Z0-9_]+[ \t]/ { print "\tVALUE(\"" $2 "\", " $2 ");" }
/^#define COROPROF_STANDING\(/ { print "\tVALUE(\"COROPROF_STANDING\", COROPROF_STANDING(0xe4, 2));" }
/^#define COROPROF_MMAP_[A-Z_]+\(/ {
	macro = $2
	sub(/\(.*/, "", macro)
	print "\tVALUE(\"" macro "\", " macro "(3));"
}

# Of all flags that there are, and some more, and all numbers of counters: a sum that another size of one would change.
/^static __inline__ __u32 coroprof_slice_size\(/ {
	print "\tunsigned long long sizes = 0;"
	print "\tfor (unsigned int flags = 0; flags <= 511; flags++)"
	print "\t\tfor (unsigned int nr = 0; nr <= COROPROF_COUNTERS_MAX; nr++)"
	print "\t\t\tsizes = sizes * 31 + coroprof_slice_size(flags, nr);"
	print "\tVALUE(\"coroprof_slice_size\", sizes);"
}

END { print "\treturn 0;\n}" }
