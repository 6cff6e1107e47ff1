# SPDX-License-Identifier: GPL-2.0
# Processes of Elixir whose work is known: COUNT of three kinds that run loops of 1, 5 and 20 units, TURNS times. One waits
# while the program sleeps; one fails; one begins another; one is a task, one a server. It knows nothing of coroprof.
defmodule Known do
  @count 4
  @turns 5
  @unit 50_000
  @nap 20

  # As known.erl does.
  def work(units), do: :known.spin(units * @unit)

  def turns(main, units) do
    for _ <- 1..@turns do
      receive do
        :go -> work(units)
      end

      send(main, :went)
    end

    exit({:did, units})
  end

  def light(main), do: turns(main, 1)
  def middle(main), do: turns(main, 5)
  def heavy(main), do: turns(main, 20)
  def naps, do: for(_ <- 1..@turns, do: Process.sleep(@nap))

  def fails do
    work(5)
    exit(:failed)
  end

  def named do
    Process.register(self(), :some_name)
    work(5)
  end

  def inner do
    work(10)
  end

  def outer do
    work(1)
    {_, monitor} = spawn_monitor(Known, :inner, [])
    ended(monitor)
    work(1)
  end

  def ended(monitor) do
    receive do
      {:DOWN, ^monitor, _, _, why} -> why
    end
  end

  def run(function), do: spawn_monitor(Known, function, []) |> elem(1) |> ended()

  def main do
    :known.load()
    kinds = for _ <- 1..@count, kind <- [:light, :middle, :heavy], do: kind
    all = for kind <- kinds, do: spawn_monitor(Known, kind, [self()])

    for _ <- 1..@turns, {pid, _} <- all do
      send(pid, :go)

      receive do
        :went -> :ok
      end
    end

    units = for {_, monitor} <- all, do: ended(monitor) |> elem(1)
    IO.puts(Enum.sum(units))
    IO.inspect(for function <- [:naps, :fails, :named, :outer], do: run(function))
    IO.inspect(Task.await(Task.async(fn -> work(5) end)))
    {:ok, server} = GenServer.start(Known.Server, 2)
    IO.inspect(GenServer.call(server, 3))
    GenServer.stop(server)
    System.halt(7)
  end
end

defmodule Known.Server do
  use GenServer

  def init(units) do
    Known.work(units)
    {:ok, units}
  end

  def handle_call(units, _, done) do
    Known.work(units)
    {:reply, units + done, units + done}
  end
end

Known.main()
