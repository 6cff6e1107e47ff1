%% SPDX-License-Identifier: GPL-2.0
%% A server with a process for each connection, and one for each answer. It knows nothing of coroprof.
-module(server).
-export([main/0, accept/2, connection/2, cheap/1, heavy/1, waits/1]).

main() ->
    {ok, Listening} = gen_tcp:listen(8080, [binary, {packet, http_bin}, {active, false}, {reuseaddr, true}, {ip, {127, 0, 0, 1}}]),
    Self = self(),
    spawn_link(?MODULE, accept, [Listening, Self]),
    receive quit -> halt(0) end.

accept(Listening, Main) ->
    {ok, Socket} = gen_tcp:accept(Listening),
    Pid = spawn(?MODULE, connection, [Socket, Main]),
    ok = gen_tcp:controlling_process(Socket, Pid),
    accept(Listening, Main).

connection(Socket, Main) ->
    {ok, {http_request, _, {abs_path, Path}, _}} = gen_tcp:recv(Socket, 0),
    headers(Socket),
    inet:setopts(Socket, [{packet, raw}]),
    answer(Socket, Path, Main),
    gen_tcp:close(Socket).

headers(Socket) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, http_eoh} -> ok;
        {ok, _} -> headers(Socket)
    end.

answer(Socket, <<"/cheap">>, _) -> send(Socket, by(cheap));
answer(Socket, <<"/heavy">>, _) -> send(Socket, by(heavy));
answer(Socket, <<"/waits">>, _) -> send(Socket, by(waits));
answer(Socket, <<"/quit">>, Main) -> send(Socket, <<"bye\n">>), Main ! quit;
answer(_, _, _) -> ok.

%% A process of its own makes the answer.
by(Function) ->
    {Pid, Monitor} = spawn_monitor(?MODULE, Function, [self()]),
    receive
        {Pid, Answer} -> erlang:demonitor(Monitor, [flush]), Answer;
        {'DOWN', Monitor, _, _, _} -> <<>>
    end.

send(Socket, Answer) ->
    gen_tcp:send(Socket, [<<"HTTP/1.0 200 OK\r\nContent-Length: ">>, integer_to_binary(byte_size(Answer)), <<"\r\n\r\n">>, Answer]).

cheap(Parent) -> Parent ! {self(), <<"cheap\n">>}.
heavy(Parent) -> Parent ! {self(), digits(digest(1, 30000))}.
waits(Parent) -> timer:sleep(5), Parent ! {self(), <<"waited\n">>}.

digest(Sum, 0) -> Sum;
digest(Sum, N) -> digest((Sum * 31 + N) rem 1000003, N - 1).

digits(Sum) -> <<(integer_to_binary(Sum))/binary, "\n">>.
