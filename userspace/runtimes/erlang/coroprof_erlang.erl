%% SPDX-License-Identifier: LGPL-2.1-or-later
%% Has Erlang tell what its processes do: a tracer whose functions are those of the preload library, which is
%% a library of NIFs, too. Since OTP 27 in a session of its own; before, nothing else can trace meanwhile.
-module(coroprof_erlang).

-export([start/1, enabled/3, trace/5, keep/1, known/2, gone/1, settled/0]).

-define(FLAGS, [procs, running_procs, exiting]).

%% What fails is not the program's: processes are not told then.
start(Library) ->
    case erlang:load_nif(Library, erlang:system_info(process_limit)) of
        ok ->
            %% To ask a process has it run: first all have names, then those that were begun meanwhile.
            Before = erlang:processes(),
            lists:foreach(fun name/1, Before),
            listen(list_to_integer(erlang:system_info(otp_release))),
            Since = erlang:processes() -- Before,
            lists:foreach(fun name/1, Since),
            %% Who was named, and had ended before the tracer would be told of it.
            lists:foreach(fun gone/1, (Before ++ Since) -- erlang:processes()),
            settled();
        Error ->
            Error
    end.

listen(Release) when Release >= 27 ->
    Session = trace:session_create(?MODULE, {?MODULE, []}, []),
    keep(Session),
    trace:process(Session, all, true, ?FLAGS);
listen(_) ->
    erlang:trace(all, true, [{tracer, ?MODULE, []} | ?FLAGS]).

%% Those that were there before.
name(Pid) ->
    case erlang:process_info(Pid, [registered_name, initial_call, dictionary]) of
        [{registered_name, Name}, _, _] when is_atom(Name) -> known(Pid, Name);
        [_, {initial_call, Call}, {dictionary, Words}] -> known(Pid, proplists:get_value('$initial_call', Words, Call));
        undefined -> ok
    end.

%% In the library.
enabled(_, _, _) -> discard.
trace(_, _, _, _, _) -> ok.
keep(_) -> ok.
known(_, _) -> ok.
gone(_) -> ok.
settled() -> ok.
