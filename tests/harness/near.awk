# SPDX-License-Identifier: GPL-2.0
# near.awk -v wanted=NAME: "DISTANCE NAME" of each name that is read: letters to change, from NAME to it or to its last part.
function distance(a, b,    i, j, cost, above, before, row) {
	for (j = 0; j <= length(b); j++)
		row[j] = j
	for (i = 1; i <= length(a); i++) {
		above = row[0]
		row[0] = i
		for (j = 1; j <= length(b); j++) {
			before = row[j]
			cost = above + (substr(a, i, 1) != substr(b, j, 1))
			row[j] = row[j] + 1 < cost ? row[j] + 1 : cost
			row[j] = row[j - 1] + 1 < row[j] ? row[j - 1] + 1 : row[j]
			above = before
		}
	}
	return row[length(b)]
}

{
	whole = distance(wanted, $0)
	last = distance(wanted, substr($0, match($0, /[^\/]*$/)))
	near = whole < last ? whole : last
	print (index($0, wanted) ? near / 100 : near), $0
}
