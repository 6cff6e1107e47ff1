// SPDX-License-Identifier: GPL-2.0
/* Says whether metadata of two recordings differ. */
#include <string.h>

#include "profile/model.h"

bool model_metadata_differs(const struct model_metadata *metadatum)
{
	const char *old = metadatum->text[MODEL_OLD], *new = metadatum->text[MODEL_NEW];

	return old && new && strcmp(old, new);
}
