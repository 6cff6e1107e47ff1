/* SPDX-License-Identifier: GPL-2.0 */
/* What the coroutines of known.cc and coroutines.cc do, as verify.mjs knows it. */
#ifndef BOOST_WORK_HPP
#define BOOST_WORK_HPP

#include <chrono>

#include "../../harness/rounds.h"

namespace
{

const int COUNT = 4, TURNS = 5;
const unsigned long UNIT = 40000; /* rounds */
const auto NAP = std::chrono::milliseconds(2);

void work(unsigned long units)
{
	rounds(units * UNIT);
}

} // namespace

#endif
