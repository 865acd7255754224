// Stands in for the exchanges of archive/http in the script that checks a message: sends requests with fetch.
import type {
  ExchangeOptions,
  FetchedAnswer,
  HttpRequest,
  StartTimer,
} from '../../../../archive/http/exchange.ts'
import { bodyFailure, connectionFailure, FetchFailure } from '../../../../archive/http/failure.ts'

export const startTimer: StartTimer = (ms, run) => {
  let timer = setTimeout(run, ms)
  const stop = () => clearTimeout(timer)
  const refresh = () => {
    stop()
    timer = setTimeout(run, ms)
  }
  return { refresh, stop }
}

/** Sends a request, and gives it up when nothing arrives in `stallMs`. @throws FetchFailure `unreachable` */
export async function exchange(
  { method = 'GET', url, headers = {} }: HttpRequest,
  { stallMs, startTimer: start }: ExchangeOptions,
): Promise<FetchedAnswer> {
  const aborter = new AbortController()
  const timer = start(stallMs, () =>
    aborter.abort(new FetchFailure('unreachable', `nothing arrived for ${stallMs / 1000} s`)),
  )
  const close = () => {
    timer.stop()
    aborter.abort()
  }
  const failing = (asFailure: (error: Error) => FetchFailure) => (error: Error) => {
    timer.stop()
    throw error instanceof FetchFailure ? error : asFailure(error)
  }
  const { signal } = aborter
  // What the browser has kept of a file is compared with the service's.
  const asked = fetch(url, { method, headers, signal, redirect: 'manual', cache: 'no-cache' })
  const response = await asked.catch(failing(connectionFailure))
  const reader = response.body?.getReader()
  const next = async () => {
    const read = await reader?.read().catch(failing(bodyFailure))
    timer.refresh()
    if (read?.value) return { done: false as const, value: read.value }
    timer.stop()
    return { done: true as const, value: undefined }
  }
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    chunks: { [Symbol.asyncIterator]: () => ({ next }) },
    close,
  }
}
