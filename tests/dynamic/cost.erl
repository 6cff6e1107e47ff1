%% SPDX-License-Identifier: GPL-2.0
%% What things with processes take, in nanoseconds; in the exact guest that is instructions.
-module(cost).
-export([main/0, answers/0, ends/1]).

answers() -> receive Pid -> Pid ! self(), answers() end.
ends(Pid) -> Pid ! ended.

%% The least of some rounds: the scheduler's timers and collections come between.
each(Function) -> lists:min([measured(Function, 2000) || _ <- lists:seq(1, 10)]) div 2000.

measured(Function, Count) ->
    Begin = erlang:monotonic_time(nanosecond),
    times(Function, Count),
    erlang:monotonic_time(nanosecond) - Begin.

times(_, 0) -> ok;
times(Function, Count) -> Function(), times(Function, Count - 1).

main() ->
    Other = spawn(?MODULE, answers, []),
    io:format("a message there and back ~p~n", [each(fun() -> Other ! self(), receive Other -> ok end end)]),
    io:format("a process begins and ends ~p~n", [each(fun() -> spawn(?MODULE, ends, [self()]), receive ended -> ok end end)]),
    halt().
