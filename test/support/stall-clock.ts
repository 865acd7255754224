// A clock for exchanges with servers that stop sending: its time passes at once, so that no test waits for a timeout.
import type { Socket } from 'node:net'
import type { StartTimer } from '../../archive/http/exchange.ts'

export interface StallClock {
  startTimer: StartTimer
  /**
   * States that the server sends nothing more on this connection. As soon as that is so for every exchange in progress,
   * the time of all of them runs out.
   */
  hold(socket: Socket): void
  /** Lets time pass [ms]. */
  advance(ms: number): void
}

/** The turns of the event loop after which everything that was sent has arrived, closed connections included. */
const TURNS = 20

export function stallClock(): StallClock {
  let now = 0
  const timers = new Map<object, { due: number; run: () => void }>()
  const held = new Set<Socket>()
  let checks = 0
  /** Looks once more after the last change. */
  const check = () => {
    const number = ++checks
    let turns = 0
    const turn = () => {
      if (number !== checks) return
      if (++turns < TURNS) setImmediate(turn)
      else if (timers.size > 0 && held.size >= timers.size) clock.advance(LONG_MS)
    }
    turn()
  }
  const clock: StallClock = {
    startTimer(ms, run) {
      const key = {}
      const refresh = () => {
        timers.set(key, { due: now + ms, run })
        check()
      }
      const stop = () => {
        timers.delete(key)
        check()
      }
      refresh()
      return { refresh, stop }
    },
    hold(socket) {
      held.add(socket)
      socket.once('close', () => held.delete(socket))
      check()
    },
    advance(ms) {
      now += ms
      for (const [key, { due, run }] of [...timers])
        if (due <= now) {
          timers.delete(key)
          run()
        }
    },
  }
  return clock
}

/** Longer than any timeout [ms]. */
const LONG_MS = 86_400_000
