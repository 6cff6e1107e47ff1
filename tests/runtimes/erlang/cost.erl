%% SPDX-License-Identifier: GPL-2.0
%% What things with processes take, in nanoseconds; in the exact guest that is instructions.
-module(cost).
-export([main/0, traced/0, answers/0, counts/1, ends/1]).

answers() -> receive Pid -> Pid ! self(), answers() end.
ends(Pid) -> Pid ! ended.

%% The least of some rounds: the scheduler's timers and collections come between, and so does the reader of a recording, which
%% has the same processor.
each(Function) -> lists:min([measured(Function, 200) || _ <- lists:seq(1, 100)]) div 200.

measured(Function, Count) ->
    Begin = erlang:monotonic_time(nanosecond),
    times(Function, Count),
    erlang:monotonic_time(nanosecond) - Begin.

times(_, 0) -> ok;
times(Function, Count) -> Function(), times(Function, Count - 1).

%% The tracer: counts what it is told.
counts(Number) ->
    receive
        {trace, _, _, _} -> counts(Number + 1);
        {counted, Pid} -> Pid ! {counted, Number}
    end.

%% The same while erlang:trace() tells another process of Erlang of each switch.
traced() ->
    Tracer = spawn(?MODULE, counts, [0]),
    erlang:trace(processes, true, [running, {tracer, Tracer}]),
    measure(),
    Tracer ! {counted, self()},
    %% 20000 messages, there and back, have 80000 at least.
    receive {counted, Number} -> true = Number >= 80000 end,
    halt().

main() ->
    measure(),
    halt().

measure() ->
    Other = spawn(?MODULE, answers, []),
    io:format("a message there and back ~p~n", [each(fun() -> Other ! self(), receive Other -> ok end end)]),
    io:format("a process begins and ends ~p~n", [each(fun() -> spawn(?MODULE, ends, [self()]), receive ended -> ok end end)]).
