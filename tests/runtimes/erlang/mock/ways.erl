%% SPDX-License-Identifier: GPL-2.0
%% Processes in all the ways they begin, wait and end; what it prints does not depend on who looks.
-module(ways).
-behaviour(gen_server).
-export([main/0, light/2, waits/0, registers/1, init/1, handle_call/3, handle_cast/2]).

light(Parent, N) -> erlang:yield(), Parent ! {self(), N}.
waits() -> receive never -> ok end.
registers(Parent) -> register(known_name, self()), erlang:yield(), Parent ! {self(), whereis(known_name) =:= self()}.
init(N) -> {ok, N}.
handle_call(add, _, N) -> {reply, N + 1, N + 1}.
handle_cast(stop, N) -> {stop, normal, N}.

result(Pid) -> receive {Pid, Result} -> Result end.
ended(Monitor) -> receive {'DOWN', Monitor, _, _, Why} -> Why end.

main() ->
    Self = self(),
    io:format("~p~n", [lists:sum([result(spawn(?MODULE, light, [Self, N])) || N <- lists:seq(1, 100)])]),
    io:format("~p~n", [result(spawn(fun() -> Self ! {self(), in_place} end))]),
    io:format("~p~n", [result(proc_lib:spawn(fun() -> Self ! {self(), proc_lib} end))]),
    io:format("~p~n", [result(spawn_opt(?MODULE, light, [Self, 7], [link]))]),
    io:format("~p~n", [ended(element(2, spawn_monitor(fun() -> exit(failed) end)))]),
    {Waiting, Killed} = spawn_monitor(?MODULE, waits, []),
    erlang:yield(),
    exit(Waiting, kill),
    io:format("~p~n", [ended(Killed)]),
    io:format("~p~n", [result(spawn(?MODULE, registers, [Self]))]),
    {ok, Server} = gen_server:start(?MODULE, 1, []),
    io:format("~p~n", [[gen_server:call(Server, add) || _ <- [1, 2, 3]]]),
    Stopped = monitor(process, Server),
    gen_server:cast(Server, stop),
    io:format("~p~n", [ended(Stopped)]),
    {ok, File} = file:read_file(code:which(?MODULE)),
    io:format("~p~n", [is_binary(File)]),
    io:format("~p~n", [[os:getenv(Name) || Name <- ["ERL_AFLAGS", "ERL_FLAGS", "ERL_ZFLAGS"]]]),
    io:format("~p ~p~n", [init:get_plain_arguments(), [Flag || {Flag, _} <- init:get_arguments(), Flag =/= progname]]),
    io:format("~p~n", [[Folder || Folder <- code:get_path(), string:find(Folder, "coroprof") =/= nomatch]]),
    io:format("~s", [os:cmd("echo \"[$ERL_AFLAGS]\"")]),
    halt(7).
