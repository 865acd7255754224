// Plays the films of a month one after the other, and marks the one that is played.
import { FIRST_VOLUME } from './tone-player.ts'

export function playInTurn(section: HTMLElement): void {
  const video = section.querySelector('video')
  const links = [...section.querySelectorAll<HTMLAnchorElement>('.films a')]
  if (!video || links.length === 0) return
  video.volume = FIRST_VOLUME
  const choose = (chosen: number) => {
    for (const [i, link] of links.entries())
      if (i === chosen) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    video.src = links[chosen]?.href ?? ''
  }
  const current = () => links.findIndex((link) => link.hasAttribute('aria-current'))
  for (const [i, link] of links.entries())
    link.addEventListener('click', (event) => {
      event.preventDefault()
      choose(i)
      video.play().catch(() => {})
    })
  video.addEventListener('ended', () => {
    const next = current() + 1
    if (next === links.length) return choose(0)
    choose(next)
    video.play().catch(() => {})
  })
  choose(0)
}
