/* SPDX-License-Identifier: GPL-2.0 */
/* The report's template, searched for from this folder. */
	.section .rodata
	.globl html_template
	.globl html_template_end
	.hidden html_template
	.hidden html_template_end
html_template:
	.incbin "../report/template.html"
html_template_end:
	.globl html_live
	.globl html_live_end
	.hidden html_live
	.hidden html_live_end
html_live:
	.incbin "../report/live.html"
html_live_end:
	.section .note.GNU-stack, "", %progbits
