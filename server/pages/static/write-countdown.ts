// Counts down the seconds until the service takes more.

/** @param show is called each second with what is left, as in `12 s`, and at the end with null */
export function countDown(seconds: number, show: (left: string | null) => void): void {
  // By the clock: timers rest while their page is hidden.
  const end = performance.now() + seconds * 1_000
  const tick = () => {
    const left = Math.round((end - performance.now()) / 1_000)
    if (left > 0) return show(duration(left))
    clearInterval(timer)
    show(null)
  }
  const timer = setInterval(tick, 1_000)
  show(duration(Math.max(1, seconds)))
}

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
