// Counts down the seconds until the service accepts another publication.

/** @param show called each second with the remaining time, as in `12 s`, and at the end with null */
export function countDown(seconds: number, show: (left: string | null) => void): void {
  // Measured by the clock, because browsers throttle the timers of a hidden page.
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
