// A day's page with a script: the strip seeks, the tone that sounds is lit, commands are copied with a button.
import { addCopyButtons } from './copy-button.ts'
import { enhancePlayer } from './tone-player.ts'

for (const player of document.querySelectorAll<HTMLElement>('.player')) enhancePlayer(player)

// The first picture is loaded when the film is opened, and not with the page.
for (const film of document.querySelectorAll<HTMLDetailsElement>('.film'))
  film.addEventListener('toggle', () => {
    const video = film.querySelector('video')
    if (video?.dataset.poster) video.poster = video.dataset.poster
  })

addCopyButtons(document)
