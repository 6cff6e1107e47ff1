# SPDX-License-Identifier: GPL-2.0
# Of a header of the ABI: a program that prints, of whatever header it is compiled with, what that one makes of each
# name: the place and size of each member, the value of each constant.

BEGIN {
	print "#include <stddef.h>"
	print "#include <stdio.h>"
	print "#include <coroprof.h>"
	print "#define AT(s, m) printf(\"member %s.%s %zu %zu\\n\", #s, #m, offsetof(struct s, m), sizeof(((struct s *)0)->m))"
	print "#define SIZE(s) printf(\"struct %s %zu\\n\", #s, sizeof(struct s))"
	print "#define VALUE(c) printf(\"value %s %llu\\n\", #c, (unsigned long long)(c))"
	print "#define TEXT(c) printf(\"text %s %s\\n\", #c, c)"
	print "#define COMMAND(c) printf(\"command %s %lu\\n\", #c, (unsigned long)(c) & ~((unsigned long)_IOC_SIZEMASK << _IOC_SIZESHIFT))"
	print "int main(void)\n{"
}

/^struct [a-z_]+ \{$/ { name = $2; print "\tSIZE(" name ");"; next }
/^\};$/ { name = "" }
name != "" && /;$/ {
	member = $NF
	sub(/;$/, "", member)
	sub(/\[.*/, "", member)
	print "\tAT(" name ", " member ");"
}

/^#define COROPROF_IOC_[A-Z]+[ \t]+_IO/ { print "\tCOMMAND(" $2 ");"; next }
/^#define COROPROF_[A-Z0-9_]+[ \t]+"/ { print "\tTEXT(" $2 ");"; next }
/^#define COROPROF_[A-Z0-9_]+[ \t]/ { print "\tVALUE(" $2 ");" }
/^#define COROPROF_STANDING\(/ { print "\tVALUE(COROPROF_STANDING(0xe4, 2));" }
/^#define COROPROF_MMAP_[A-Z_]+\(/ { sub(/\(.*/, "", $2); print "\tVALUE(" $2 "(3));" }

END { print "\treturn 0;\n}" }
