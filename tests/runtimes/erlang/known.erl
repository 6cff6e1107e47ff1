%% SPDX-License-Identifier: GPL-2.0
%% Processes whose work is known: COUNT of three kinds that run loops of 1, 5 and 20 units, TURNS times. One waits while the
%% program sleeps; one fails; one is killed; one begins another; one gives way. It knows nothing of coroprof.
-module(known).
-export([main/0, load/0, light/1, middle/1, heavy/1, naps/0, fails/0, killed/1, outer/1, inner/1, gives_way/0, named/0, spin/1]).

-define(COUNT, 4).
-define(TURNS, 5).
-define(UNIT, 50000).
-define(NAP, 20).

%% In spin_nif.so, from here on.
load() -> ok = erlang:load_nif(filename:join(filename:dirname(code:which(?MODULE)), "spin_nif"), 0).
spin(Rounds) -> Rounds.

work(Units) -> spin(Units * ?UNIT).

turns(Main, Units) ->
    lists:foreach(fun(_) -> receive go -> work(Units), Main ! went end end, lists:seq(1, ?TURNS)),
    exit({did, Units}).

light(Main) -> turns(Main, 1).
middle(Main) -> turns(Main, 5).
heavy(Main) -> turns(Main, 20).
naps() -> lists:foreach(fun(_) -> receive after ?NAP -> ok end end, lists:seq(1, ?TURNS)).
fails() -> work(5), exit(failed).
killed(Main) -> work(5), Main ! works, receive never -> ok end.
inner(Outer) -> work(5), Outer ! inner, receive go -> work(5) end.
gives_way() -> lists:foreach(fun(_) -> work(1), erlang:yield() end, lists:seq(1, ?TURNS)).
named() -> register(some_name, self()), work(5).

outer(Main) ->
    work(1),
    {Inner, Monitor} = spawn_monitor(?MODULE, inner, [self()]),
    receive inner -> work(1), Inner ! go end,
    receive {'DOWN', Monitor, _, _, Why} -> Main ! {outer, Why} end.

ended(Monitor) -> receive {'DOWN', Monitor, _, _, Why} -> Why end.
run(Function, Arguments) -> ended(element(2, spawn_monitor(?MODULE, Function, Arguments))).

main() ->
    load(),
    All = [spawn_monitor(?MODULE, Kind, [self()]) || _ <- lists:seq(1, ?COUNT), Kind <- [light, middle, heavy]],
    [begin Pid ! go, receive went -> ok end end || _ <- lists:seq(1, ?TURNS), {Pid, _} <- All],
    io:format("~p~n", [lists:sum([begin {did, Units} = ended(Monitor), Units end || {_, Monitor} <- All])]),
    io:format("~p~n", [[run(Kind, []) || Kind <- [naps, fails, gives_way, named]]]),
    {Pid, Monitor} = spawn_monitor(?MODULE, killed, [self()]),
    receive works -> exit(Pid, kill) end,
    io:format("~p~n", [[ended(Monitor), run(outer, [self()]), receive {outer, Why} -> Why end]]),
    halt(7).
